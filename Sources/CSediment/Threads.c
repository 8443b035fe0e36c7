#if !defined(__APPLE__)
#define _GNU_SOURCE
#endif
#include "CSedimentThreads.h"

#include "CSedimentThreadObject.h"
#include "Forks.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

static void initialize_mutex(pthread_mutex_t *mutex) {
  if (pthread_mutex_init(mutex, NULL) != 0) abort();
}

static void initialize(struct sediment_mutex *mutex) {
  mutex->state = 0;
  initialize_mutex(&mutex->sleeping);
  if (pthread_cond_init(&mutex->woken, NULL) != 0) abort();
}

struct sediment_mutex *sediment_mutex_new(int held_across_forks) {
  if (__atomic_load_n(&look_count, __ATOMIC_RELAXED) < 0) {
    __atomic_store_n(&look_count, sediment_processor_count() > 1 ? 400 : 0, __ATOMIC_RELAXED);
  }
  // Far from everything else that threads write to.
  struct sediment_mutex *mutex = NULL;
  if (posix_memalign((void **)&mutex, 128, (sizeof *mutex + 127) / 128 * 128) != 0) abort();
  initialize(mutex);
  mutex->next_held = NULL;
  if (held_across_forks) {
    mutex->next_held = __atomic_load_n(&first_held, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(
        &first_held, &mutex->next_held, mutex, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
  }
  return mutex;
}

void sediment_mutex_free(struct sediment_mutex *mutex) {
  (void)pthread_cond_destroy(&mutex->woken);
  (void)pthread_mutex_destroy(&mutex->sleeping);
  free(mutex);
}

// Lets the processor do something else for some nanoseconds.
static inline void pause_shortly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

// Most of what mutexes guard takes less than putting a thread to sleep and waking it, so who finds one taken looks again
// for some microseconds first. A thread that takes one again and again would else wake one that sleeps each time it gives
// it back, only for that to find it taken again.
void sediment_mutex_wait(struct sediment_mutex *mutex) {
  for (int left = __atomic_load_n(&look_count, __ATOMIC_RELAXED); left > 0; left -= 1) {
    pause_shortly();
    if (__atomic_load_n(&mutex->state, __ATOMIC_RELAXED) == 0 && sediment_mutex_try(mutex)) return;
  }
  (void)pthread_mutex_lock(&mutex->sleeping);
  // Others may sleep as well, so the state says so for whoever has come to have it, too.
  while (__atomic_exchange_n(&mutex->state, 2, __ATOMIC_ACQUIRE) != 0) {
    (void)pthread_cond_wait(&mutex->woken, &mutex->sleeping);
  }
  (void)pthread_mutex_unlock(&mutex->sleeping);
}

// Returns once all sleep who were about to, or were woken.
static void wait_for_sleepers(pthread_mutex_t *sleeping) {
  (void)pthread_mutex_lock(sleeping);
  (void)pthread_mutex_unlock(sleeping);
}

void sediment_mutex_wake(struct sediment_mutex *mutex) {
  wait_for_sleepers(&mutex->sleeping);
  (void)pthread_cond_signal(&mutex->woken);
}

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
  // Made anew, because the old ones may count waiters that do not exist here.
  for (struct sediment_mutex *mutex = first_taken; mutex != NULL; mutex = mutex->next_held) {
    initialize(mutex);
  }
}

// Conditions

struct sediment_condition *sediment_condition_new(void) {
  struct sediment_condition *condition = allocate(sizeof *condition);
  pthread_condattr_t attributes;
  if (pthread_condattr_init(&attributes) != 0) abort();
#if !defined(__APPLE__)
  if (pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) != 0) abort();
#endif
  initialize_mutex(&condition->sleeping);
  if (pthread_cond_init(&condition->condition, &attributes) != 0) abort();
  (void)pthread_condattr_destroy(&attributes);
  return condition;
}

void sediment_condition_free(struct sediment_condition *condition, uint32_t fork_count_when_new) {
  if (fork_count_when_new == sediment_fork_count()) {
    (void)pthread_cond_destroy(&condition->condition);
    (void)pthread_mutex_destroy(&condition->sleeping);
  }
  free(condition);
}

static void begin_waiting(struct sediment_condition *condition, struct sediment_mutex *mutex) {
  (void)pthread_mutex_lock(&condition->sleeping);
  sediment_mutex_unlock(mutex);
}

static void end_waiting(struct sediment_condition *condition, struct sediment_mutex *mutex) {
  (void)pthread_mutex_unlock(&condition->sleeping);
  sediment_mutex_lock(mutex);
}

void sediment_condition_wait(struct sediment_condition *condition, struct sediment_mutex *mutex) {
  begin_waiting(condition, mutex);
  (void)pthread_cond_wait(&condition->condition, &condition->sleeping);
  end_waiting(condition, mutex);
}

int sediment_condition_wait_until(
    struct sediment_condition *condition, struct sediment_mutex *mutex, uint64_t deadline) {
  // Centuries from now, where the sum of a time and a delay stays at its limit.
  const uint64_t limit = (uint64_t)INT32_MAX * 1000000000;
  if (deadline > limit) deadline = limit;
#if defined(__APPLE__)
  uint64_t now = sediment_monotonic_now();
  if (deadline <= now) return 0;
  uint64_t left = deadline - now;
  struct timespec time = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
  begin_waiting(condition, mutex);
  int error = pthread_cond_timedwait_relative_np(&condition->condition, &condition->sleeping, &time);
#else
  struct timespec time = {.tv_sec = (time_t)(deadline / 1000000000), .tv_nsec = (long)(deadline % 1000000000)};
  begin_waiting(condition, mutex);
  int error = pthread_cond_timedwait(&condition->condition, &condition->sleeping, &time);
#endif
  end_waiting(condition, mutex);
  return error == 0;
}

void sediment_condition_signal(struct sediment_condition *condition) {
  wait_for_sleepers(&condition->sleeping);
  (void)pthread_cond_signal(&condition->condition);
}

void sediment_condition_broadcast(struct sediment_condition *condition) {
  wait_for_sleepers(&condition->sleeping);
  (void)pthread_cond_broadcast(&condition->condition);
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
