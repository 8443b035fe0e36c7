#include "CSedimentFailures.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The value of a thread is the failure, whose texts follow it in the same memory.
static pthread_key_t key;
static int has_key = 0;
static pthread_once_t is_set_up = PTHREAD_ONCE_INIT;

static const sediment_error no_memory = {
    sizeof(sediment_error), SEDIMENT_NO_MEMORY, 0, 0, 0, 0, "There is no memory. Free some and try again.", "",
    "There is no memory. Free some and try again.",
};

static void forget(void *value) {
  if (value != &no_memory) free(value);
}

static void set_up(void) { has_key = pthread_key_create(&key, forget) == 0; }

static char *append(char **end, const char *text) {
  char *start = *end;
  size_t size = strlen(text) + 1;
  memcpy(start, text, size);
  *end += size;
  return start;
}

void sediment_failure_keep(const sediment_error *failure) {
  (void)pthread_once(&is_set_up, set_up);
  if (!has_key) return;
  size_t size = strlen(failure->message) + strlen(failure->path) + strlen(failure->description) + 3;
  sediment_error *kept = malloc(sizeof *kept + size);
  if (kept != NULL) {
    char *end = (char *)(kept + 1);
    *kept = *failure;
    kept->message = append(&end, failure->message);
    kept->path = append(&end, failure->path);
    kept->description = append(&end, failure->description);
  }
  void *old = pthread_getspecific(key);
  if (pthread_setspecific(key, kept != NULL ? (const void *)kept : &no_memory) == 0) {
    forget(old);
  } else {
    free(kept);
  }
}

const sediment_error *sediment_failure_kept(void) {
  (void)pthread_once(&is_set_up, set_up);
  return has_key ? pthread_getspecific(key) : NULL;
}
