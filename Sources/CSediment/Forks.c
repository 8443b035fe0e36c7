#include "Forks.h"

#include "CSedimentThreads.h"

#include <pthread.h>

uint32_t sediment_fork_counter = 0;

static void before_fork(void) {
  sediment_mutexes_before_fork();
  sediment_forked_files_before_fork();
}

static void after_fork_in_parent(void) {
  sediment_forked_files_after_fork_in_parent();
  sediment_mutexes_after_fork_in_parent();
}

static void after_fork_in_child(void) {
  __atomic_store_n(&sediment_fork_counter, sediment_fork_counter + 1, __ATOMIC_RELAXED);
  sediment_readers_after_fork();
  sediment_forked_files_after_fork_in_child();
  sediment_mutexes_after_fork_in_child();
}

// When the program or library is loaded, before any thread can use a store and then fork. It fails only
// without memory, and then nothing would ever notice a fork.
__attribute__((constructor)) static void watch_forks(void) {
  int error = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  if (error != 0) __builtin_trap();
}
