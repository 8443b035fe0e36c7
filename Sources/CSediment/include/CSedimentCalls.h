#ifndef CSEDIMENT_CALLS_H
#define CSEDIMENT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "CSedimentReaders.h"

// What a thread is about, for the storages of Shallows. All is zero at the beginning.
struct sediment_calls {
  // How far the stack may be used; 0 before that was asked.
  uintptr_t stack_end;
  // Who the call that begins is for.
  intptr_t caller;
  // The queue whose jobs the thread does.
  void *drain;
  bool is_worker;
};

extern SEDIMENT_THREAD_LOCAL struct sediment_calls sediment_calls_of_thread;

static inline struct sediment_calls *sediment_this_thread(void) { return &sediment_calls_of_thread; }

// Whether the thread has used so many bytes of its stack since this was asked first.
static inline bool sediment_stack_is_deep(uintptr_t byte_count) {
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (sediment_calls_of_thread.stack_end == 0) sediment_calls_of_thread.stack_end = here - byte_count;
  return here < sediment_calls_of_thread.stack_end;
}

#endif
