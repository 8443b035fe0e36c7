#ifndef CSEDIMENT_THREAD_OBJECT_H
#define CSEDIMENT_THREAD_OBJECT_H

#include "CSedimentReaders.h"

// One object of each thread's own, which goes when the thread ends.

// The object of this thread, or null before it has one and after it has ended.
extern SEDIMENT_THREAD_LOCAL void *sediment_thread_object;

static inline void *sediment_thread_object_get(void) { return sediment_thread_object; }

// Gives this thread its object; `end` is the same function for all threads, and frees what it is given.
void sediment_thread_object_set(void *object, void (*end)(void *object));

// The ranks of the locks that this thread holds, a bit for each; see LockRank.swift. Only debug builds keep them.
extern SEDIMENT_THREAD_LOCAL uint32_t sediment_ranks;
static inline uint32_t sediment_held_ranks(void) { return sediment_ranks; }
static inline void sediment_hold_ranks(uint32_t ranks) { sediment_ranks = ranks; }

#if defined(SEDIMENT_SCHEDULES)
// What a test schedules this thread by, or null; see SchedulePoint.swift.
extern SEDIMENT_THREAD_LOCAL void *sediment_scheduled_thread;
static inline void *sediment_scheduled_thread_get(void) { return sediment_scheduled_thread; }
static inline void sediment_scheduled_thread_set(void *thread) { sediment_scheduled_thread = thread; }

// What belongs to one of a test's threads, several of which take turns on one of the system's. All zero at first.
struct sediment_thread_state {
  struct sediment_reader *slot;
  void *object;
  void *scheduled_thread;
  uint32_t ranks;
};

// Keeps the state of the thread that has the turn, and goes on with that of another.
static inline void sediment_thread_state_exchange(
    struct sediment_thread_state *kept, const struct sediment_thread_state *next) {
  *kept = (struct sediment_thread_state){sediment_reader_slot, sediment_thread_object, sediment_scheduled_thread, sediment_ranks};
  sediment_reader_slot = next->slot;
  sediment_thread_object = next->object;
  sediment_scheduled_thread = next->scheduled_thread;
  sediment_ranks = next->ranks;
}
#endif

#endif
