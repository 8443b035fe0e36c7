#ifndef CSEDIMENT_THREADS_H
#define CSEDIMENT_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// Locks, conditions and threads of the system, and the notice of forks.

// How many forks lie between the program's start and this process. Constant within a process: it differs in
// a child from what its parent saw.
extern uint32_t sediment_fork_counter;
static inline uint32_t sediment_fork_count(void) {
  return __atomic_load_n(&sediment_fork_counter, __ATOMIC_RELAXED);
}

// Nanoseconds of a clock that never goes back, and stands still while the machine sleeps.
uint64_t sediment_monotonic_now(void);

// Lets the thread sleep for some nanoseconds, or until a signal comes.
void sediment_sleep(uint64_t nanoseconds);

// A lock that is taken and given back by one atomic operation each, unless several threads want it. Who wants one for long
// sleeps by its state, so that nothing of it is left in a child of a fork.
//
// Whoever gives it back may use it a little longer than the next one has it: it is freed by one who knows that nobody
// is in a call of these.
struct sediment_mutex {
  // 0: free; 1: taken; 2: taken, and threads that want it may sleep. First, for those who know it by its address.
  uint32_t state;
  struct sediment_mutex *next_held;
};

// With `held_across_forks` a fork waits for the lock and holds it until parent and child go on, so that what
// it guards is whole in the child. Such a lock is never freed, nor held by a thread that takes another such.
struct sediment_mutex *sediment_mutex_new(int held_across_forks);
void sediment_mutex_free(struct sediment_mutex *mutex);

// Takes one that another thread has, once that gives it back.
void sediment_mutex_wait(struct sediment_mutex *mutex);
// Wakes a thread that sleeps, once the lock was given back.
void sediment_mutex_wake(struct sediment_mutex *mutex);

// Whether it was free, and is taken now.
static inline bool sediment_mutex_try(struct sediment_mutex *mutex) {
  uint32_t free = 0;
  return __atomic_compare_exchange_n(&mutex->state, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
static inline void sediment_mutex_lock(struct sediment_mutex *mutex) {
  if (!sediment_mutex_try(mutex)) sediment_mutex_wait(mutex);
}
static inline void sediment_mutex_unlock(struct sediment_mutex *mutex) {
  if (__atomic_exchange_n(&mutex->state, 0, __ATOMIC_RELEASE) == 2) sediment_mutex_wake(mutex);
}

struct sediment_condition {
  // Another number with each signal that may have to wake somebody.
  uint32_t signal_count;
  // Changed with the lock.
  uint32_t waiter_count;
};

struct sediment_condition *sediment_condition_new(void);
void sediment_condition_free(struct sediment_condition *condition);

void sediment_condition_wait(struct sediment_condition *condition, struct sediment_mutex *mutex);
// Returns 0 when the deadline, a time of `sediment_monotonic_now`, has passed.
int sediment_condition_wait_until(
    struct sediment_condition *condition, struct sediment_mutex *mutex, uint64_t deadline);
void sediment_condition_signal(struct sediment_condition *condition);
void sediment_condition_broadcast(struct sediment_condition *condition);

// Starts a thread that nobody joins, that takes no signals but those of its own faults and of profilers, and that
// debuggers show as "sediment"; returns an error number.
int sediment_thread_start(void (*body)(void *context), void *context);

// A number, never 0, that no other living thread has.
uintptr_t sediment_thread_identity(void);

int sediment_processor_count(void);

#endif
