#include "CSedimentThreadObject.h"

#include <pthread.h>
#include <stddef.h>

SEDIMENT_THREAD_LOCAL void *sediment_thread_object = NULL;
SEDIMENT_THREAD_LOCAL uint32_t sediment_ranks = 0;

#if defined(SEDIMENT_SCHEDULES)
SEDIMENT_THREAD_LOCAL void *sediment_scheduled_thread = NULL;
#endif

static void (*end_object)(void *object) = NULL;
static pthread_key_t object_key;
static int has_object_key = 0;
static pthread_once_t is_set_up = PTHREAD_ONCE_INIT;

static void end_of_thread(void *object) {
  sediment_thread_object = NULL;
  __atomic_load_n(&end_object, __ATOMIC_ACQUIRE)(object);
}

static void set_up(void) {
  // The system knows one of a test's threads alone, whose object may be another one's.
#if !defined(SEDIMENT_SCHEDULES)
  has_object_key = pthread_key_create(&object_key, end_of_thread) == 0;
#endif
}

void sediment_thread_object_set(void *object, void (*end)(void *object)) {
  (void)pthread_once(&is_set_up, set_up);
  __atomic_store_n(&end_object, end, __ATOMIC_RELEASE);
  sediment_thread_object = object;
  // Where it fails, for want of memory, the object of a thread that ends is not freed.
  if (has_object_key) (void)pthread_setspecific(object_key, object);
}
