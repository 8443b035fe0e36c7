// Locks and conditions: threads that count under a lock, hand a turn around, and wait until a time.
#include "CSedimentThreads.h"
#include "program.h"

enum { THREADS = 4, STEPS = 5000 };

static struct sediment_mutex *lock;
static struct sediment_condition *changed;
static uint64_t count, turn;

static void *take_turns(void *context) {
  uint64_t number = (uint64_t)(uintptr_t)context;
  for (int step = 0; step < STEPS; step++) {
    sediment_mutex_lock(lock);
    count = count * 3 + 1;
    sediment_mutex_unlock(lock);
  }
  for (int round = 0; round < 200; round++) {
    sediment_mutex_lock(lock);
    while (turn % THREADS != number) sediment_condition_wait(changed, lock);
    turn++;
    sediment_condition_broadcast(changed);
    sediment_mutex_unlock(lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  uint64_t expected = 0;
  lock = sediment_mutex_new(0);
  changed = sediment_condition_new();
  for (uintptr_t number = 0; number < THREADS; number++) {
    CHECK(pthread_create(&threads[number], NULL, take_turns, (void *)number) == 0);
  }
  for (int number = 0; number < THREADS; number++) CHECK(pthread_join(threads[number], NULL) == 0);
  for (int step = 0; step < THREADS * STEPS; step++) expected = expected * 3 + 1;
  CHECK(count == expected && turn == THREADS * 200);
  sediment_mutex_lock(lock);
  CHECK(!sediment_mutex_try(lock));
  uint64_t before = sediment_monotonic_now();
  CHECK(sediment_condition_wait_until(changed, lock, before + 2000000) == 0);
  CHECK(sediment_monotonic_now() >= before + 2000000);
  sediment_mutex_unlock(lock);
  CHECK(sediment_thread_identity() != 0 && sediment_processor_count() > 0);
  sediment_condition_free(changed);
  sediment_mutex_free(lock);
  print_digest("locks", count);
  return 0;
}
