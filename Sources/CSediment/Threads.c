#if !defined(__APPLE__)
#define _GNU_SOURCE
#endif
#include "CSedimentThreads.h"

#include "CSedimentThreadObject.h"
#include "Forks.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#if __has_include(<os/os_sync_wait_on_address.h>)
#include <os/os_sync_wait_on_address.h>
#else
// Every system that this runs on has these calls; software development kits before 14.4 lack their header.
enum { OS_SYNC_WAIT_ON_ADDRESS_NONE = 0, OS_SYNC_WAKE_BY_ADDRESS_NONE = 0, OS_CLOCK_MACH_ABSOLUTE_TIME = 32 };
extern int os_sync_wait_on_address(void *address, uint64_t value, size_t size, uint32_t flags);
extern int os_sync_wait_on_address_with_timeout(
    void *address, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t timeout);
extern int os_sync_wake_by_address_any(void *address, size_t size, uint32_t flags);
extern int os_sync_wake_by_address_all(void *address, size_t size, uint32_t flags);
#endif
#else
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

uint64_t sediment_monotonic_now(void) {
#if defined(__APPLE__)
  return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

void sediment_sleep(uint64_t nanoseconds) {
  struct timespec time = {
      .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
  (void)nanosleep(&time, NULL);
}

// Sleeping by a word

// Not by the conditions of the system: those of glibc lose a signal now and then (its bug 25847), and wait in a child of a
// fork for threads that do not exist there.

// Sleeps while the word has that value, until somebody wakes those who sleep by it, or a time of `sediment_monotonic_now`
// has come, 0 for never; may return at any time.
static void sleep_by(uint32_t *word, uint32_t value, uint64_t deadline) {
#if defined(__APPLE__)
  if (deadline == 0) {
    (void)os_sync_wait_on_address(word, value, sizeof *word, OS_SYNC_WAIT_ON_ADDRESS_NONE);
    return;
  }
  uint64_t now = sediment_monotonic_now();
  if (deadline <= now) return;
  (void)os_sync_wait_on_address_with_timeout(
      word, value, sizeof *word, OS_SYNC_WAIT_ON_ADDRESS_NONE, OS_CLOCK_MACH_ABSOLUTE_TIME, deadline - now);
#else
  struct timespec time = {.tv_sec = (time_t)(deadline / 1000000000), .tv_nsec = (long)(deadline % 1000000000)};
  (void)syscall(
      SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, deadline == 0 ? NULL : &time, NULL, FUTEX_BITSET_MATCH_ANY);
#endif
}

static void wake_one(uint32_t *word) {
#if defined(__APPLE__)
  (void)os_sync_wake_by_address_any(word, sizeof *word, OS_SYNC_WAKE_BY_ADDRESS_NONE);
#else
  (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#endif
}

static void wake_all(uint32_t *word) {
#if defined(__APPLE__)
  (void)os_sync_wake_by_address_all(word, sizeof *word, OS_SYNC_WAKE_BY_ADDRESS_NONE);
#else
  (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
#endif
}

// Mutexes

// How often a thread looks at one that is taken before it sleeps; not at all where there is one processor, since whoever
// has it can only go on when that thread does not.
static int look_count = -1;

// Those held across forks. They are never taken out.
static struct sediment_mutex *first_held = NULL;

static void *allocate(size_t byte_count) {
  void *memory = malloc(byte_count);
  if (memory == NULL) abort();
  return memory;
}

// Shallows takes one by its address alone.
_Static_assert(offsetof(struct sediment_mutex, state) == 0, "the state comes first");

struct sediment_mutex *sediment_mutex_new(int held_across_forks) {
  if (__atomic_load_n(&look_count, __ATOMIC_RELAXED) < 0) {
    __atomic_store_n(&look_count, sediment_processor_count() > 1 ? 400 : 0, __ATOMIC_RELAXED);
  }
  // Far from everything else that threads write to.
  struct sediment_mutex *mutex = NULL;
  if (posix_memalign((void **)&mutex, 128, (sizeof *mutex + 127) / 128 * 128) != 0) abort();
  mutex->state = 0;
  mutex->next_held = NULL;
  if (held_across_forks) {
    mutex->next_held = __atomic_load_n(&first_held, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(
        &first_held, &mutex->next_held, mutex, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
  }
  return mutex;
}

void sediment_mutex_free(struct sediment_mutex *mutex) { free(mutex); }

// Lets the processor do something else for some nanoseconds.
static inline void pause_shortly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

// Takes one without looking at it for long.
static void take_asleep(struct sediment_mutex *mutex) {
  // Others may sleep as well, so the state says so for whoever comes to have it, too.
  while (__atomic_exchange_n(&mutex->state, 2, __ATOMIC_ACQUIRE) != 0) sleep_by(&mutex->state, 2, 0);
}

// Most of what mutexes guard takes less than putting a thread to sleep and waking it, so who finds one taken looks again
// for some microseconds first. A thread that takes one again and again would else wake one that sleeps each time it gives
// it back, only for that to find it taken again.
void sediment_mutex_wait(struct sediment_mutex *mutex) {
  for (int left = __atomic_load_n(&look_count, __ATOMIC_RELAXED); left > 0; left -= 1) {
    pause_shortly();
    if (__atomic_load_n(&mutex->state, __ATOMIC_RELAXED) == 0 && sediment_mutex_try(mutex)) return;
  }
  take_asleep(mutex);
}

void sediment_mutex_wake(struct sediment_mutex *mutex) { wake_one(&mutex->state); }

// The list as the fork of this thread found it, for others may add to it meanwhile.
static __thread struct sediment_mutex *first_taken = NULL;

void sediment_mutexes_before_fork(void) {
  first_taken = __atomic_load_n(&first_held, __ATOMIC_ACQUIRE);
  for (struct sediment_mutex *mutex = first_taken; mutex != NULL; mutex = mutex->next_held) {
    sediment_mutex_lock(mutex);
  }
}

void sediment_mutexes_after_fork_in_parent(void) {
  for (struct sediment_mutex *mutex = first_taken; mutex != NULL; mutex = mutex->next_held) {
    sediment_mutex_unlock(mutex);
  }
}

void sediment_mutexes_after_fork_in_child(void) {
  // Whoever sleeps by one does not exist here.
  for (struct sediment_mutex *mutex = first_taken; mutex != NULL; mutex = mutex->next_held) {
    __atomic_store_n(&mutex->state, 0, __ATOMIC_RELEASE);
  }
}

// Conditions

struct sediment_condition *sediment_condition_new(void) {
  struct sediment_condition *condition = allocate(sizeof *condition);
  *condition = (struct sediment_condition){0};
  return condition;
}

void sediment_condition_free(struct sediment_condition *condition) { free(condition); }

// What is waited for changes with the lock. Who changes it before this asks for the number was seen, and who changes it
// afterwards sees that somebody waits, and gives another number.
static void wait_until(struct sediment_condition *condition, struct sediment_mutex *mutex, uint64_t deadline) {
  uint32_t seen = __atomic_load_n(&condition->signal_count, __ATOMIC_RELAXED);
  __atomic_fetch_add(&condition->waiter_count, 1, __ATOMIC_RELAXED);
  sediment_mutex_unlock(mutex);
  sleep_by(&condition->signal_count, seen, deadline);
  // All who were woken at once want it now.
  if (!sediment_mutex_try(mutex)) take_asleep(mutex);
  __atomic_fetch_sub(&condition->waiter_count, 1, __ATOMIC_RELAXED);
}

void sediment_condition_wait(struct sediment_condition *condition, struct sediment_mutex *mutex) {
  wait_until(condition, mutex, 0);
}

int sediment_condition_wait_until(
    struct sediment_condition *condition, struct sediment_mutex *mutex, uint64_t deadline) {
  // Centuries from now, where the sum of a time and a delay stays at its limit.
  const uint64_t limit = (uint64_t)INT32_MAX * 1000000000;
  if (deadline > limit) deadline = limit;
  if (deadline <= sediment_monotonic_now()) return 0;
  wait_until(condition, mutex, deadline);
  return sediment_monotonic_now() < deadline;
}

// Whether somebody may wait, who is about to see another number then.
static bool is_signal_needed(struct sediment_condition *condition) {
  if (__atomic_load_n(&condition->waiter_count, __ATOMIC_RELAXED) == 0) return false;
  __atomic_fetch_add(&condition->signal_count, 1, __ATOMIC_RELAXED);
  return true;
}

void sediment_condition_signal(struct sediment_condition *condition) {
  if (is_signal_needed(condition)) wake_one(&condition->signal_count);
}

void sediment_condition_broadcast(struct sediment_condition *condition) {
  if (is_signal_needed(condition)) wake_all(&condition->signal_count);
}

// Threads

struct start {
  void (*body)(void *context);
  void *context;
};

// The signals of a thread's own faults, which it must take, or nobody would hear of them; and a profiler's, to whom
// its time would else be hidden.
static void take_faults(void) {
  const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
  sigset_t taken;
  (void)sigemptyset(&taken);
  for (size_t number = 0; number < sizeof numbers / sizeof *numbers; number++) (void)sigaddset(&taken, numbers[number]);
  (void)pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
}

static void *run(void *argument) {
  take_faults();
  struct start start = *(struct start *)argument;
  free(argument);
#if defined(__APPLE__)
  (void)pthread_setname_np("sediment");
#else
  (void)pthread_setname_np(pthread_self(), "sediment");
#endif
  start.body(start.context);
  return NULL;
}

int sediment_thread_start(void (*body)(void *context), void *context) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Enough for what runs there; some systems give less than a tenth of it.
  (void)pthread_attr_setstacksize(&attributes, 1 << 20);

  struct start *start = allocate(sizeof *start);
  *start = (struct start){.body = body, .context = context};
  // A thread begins with the signals that its maker takes.
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t thread;
  error = pthread_create(&thread, &attributes, run, start);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);

  (void)pthread_attr_destroy(&attributes);
  if (error != 0) free(start);
  return error;
}

// Its address is the number.
static __thread char identity;

uintptr_t sediment_thread_identity(void) {
#if defined(SEDIMENT_SCHEDULES)
  if (sediment_scheduled_thread_get() != NULL) return (uintptr_t)sediment_scheduled_thread_get();
#endif
  return (uintptr_t)&identity;
}

int sediment_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 && count < 1 << 16 ? (int)count : 1;
}
