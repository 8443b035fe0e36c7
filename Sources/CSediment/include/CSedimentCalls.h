#ifndef CSEDIMENT_CALLS_H
#define CSEDIMENT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "CSedimentReaders.h"

// What a thread is about, for the storages of Shallows. All is zero at the beginning.
struct sediment_calls {
  // The lowest address of the thread's stack, and the address below which its last quarter lies; 0 before they are noted.
  uintptr_t stack_low;
  uintptr_t stack_end;
  // Who the call that begins is for.
  intptr_t caller;
  // The queue whose jobs the thread does.
  void *drain;
  bool is_worker;
  // Whether a completion runs that was called in the last quarter of the stack.
  bool completes_deep;
};

extern SEDIMENT_THREAD_LOCAL struct sediment_calls sediment_calls_of_thread;

static inline struct sediment_calls *sediment_this_thread(void) { return &sediment_calls_of_thread; }

void sediment_stack_note(void);

// Whether the thread is in the last quarter of its stack. A stack that the program switched to is none of the thread's.
static inline bool sediment_stack_is_deep(void) {
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (sediment_calls_of_thread.stack_end == 0) sediment_stack_note();
  return here < sediment_calls_of_thread.stack_end && here >= sediment_calls_of_thread.stack_low;
}

#endif
