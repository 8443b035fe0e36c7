#ifndef CSEDIMENT_THREAD_OBJECT_H
#define CSEDIMENT_THREAD_OBJECT_H

#include "CSedimentReaders.h"

// One object of each thread's own, which goes when the thread ends.

// The object of this thread, or null before it has one and after it has ended.
extern SEDIMENT_THREAD_LOCAL void *sediment_thread_object;

static inline void *sediment_thread_object_get(void) { return sediment_thread_object; }

// Gives this thread its object; `end` is the same function for all threads, and frees what it is given.
void sediment_thread_object_set(void *object, void (*end)(void *object));

#if defined(SEDIMENT_SCHEDULES)
// What a test schedules this thread by, or null; see SchedulePoint.swift.
extern SEDIMENT_THREAD_LOCAL void *sediment_scheduled_thread;
static inline void *sediment_scheduled_thread_get(void) { return sediment_scheduled_thread; }
static inline void sediment_scheduled_thread_set(void *thread) { sediment_scheduled_thread = thread; }
#endif

#endif
