#if !defined(__APPLE__)
#define _GNU_SOURCE
#endif
#include "CSedimentCalls.h"

#include <pthread.h>
#include <stddef.h>

SEDIMENT_THREAD_LOCAL struct sediment_calls sediment_calls_of_thread;

// Used where the system does not tell: a quarter of the smallest stacks.
#define STACK_BYTE_COUNT_MIN ((uintptr_t)1 << 19)

static void note(uintptr_t low, uintptr_t byte_count) {
  sediment_calls_of_thread.stack_low = low;
  sediment_calls_of_thread.stack_end = low + byte_count / 4;
}

// Notes where the thread's stack lies.
void sediment_stack_note(void) {
#if defined(__APPLE__)
  const uintptr_t high = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
  const size_t byte_count = pthread_get_stacksize_np(pthread_self());
  note(high - byte_count, byte_count);
#else
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  note(here - STACK_BYTE_COUNT_MIN, STACK_BYTE_COUNT_MIN);
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void *low = NULL;
  size_t byte_count = 0;
  if (pthread_attr_getstack(&attributes, &low, &byte_count) == 0 && low != NULL) note((uintptr_t)low, byte_count);
  (void)pthread_attr_destroy(&attributes);
#endif
}
