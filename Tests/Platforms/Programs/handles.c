// Handles: what a good one leads to, what each bad one is, and threads that close and use the same ones.
#include "CSedimentHandles.h"
#include "program.h"

#include <pthread.h>

enum { HANDLES = 2000, THREADS = 4, STORE = 1, BATCH = 2, KINDS = 2 };

static uint32_t released_count;

void sediment_handle_release(void *object) {
  uint32_t *value = object;
  // Each once.
  CHECK(__atomic_exchange_n(value, UINT32_MAX, __ATOMIC_ACQ_REL) != UINT32_MAX);
  (void)__atomic_fetch_add(&released_count, 1, __ATOMIC_RELAXED);
}

static uint32_t values[HANDLES];
static void *handles[HANDLES];

static void one_thread(uint64_t *digest) {
  for (uint32_t number = 0; number < HANDLES; number++) {
    values[number] = number;
    handles[number] = sediment_handle_make(number % 3 == 0 ? BATCH : STORE, &values[number]);
    CHECK(handles[number] != NULL);
  }
  for (uint32_t number = 0; number < HANDLES; number++) {
    uint32_t kind = number % 3 == 0 ? BATCH : STORE;
    struct sediment_slot *slot = sediment_handle_enter(handles[number], kind);
    CHECK(slot != NULL && sediment_handle_object(slot) == &values[number]);
    CHECK(sediment_handle_enter(handles[number], 3 - kind) == NULL);
    CHECK(sediment_handle_fault_of(handles[number], 3 - kind, KINDS) == SEDIMENT_HANDLE_OF_OTHER_KIND);
    if (number % 2 == 0) {
      CHECK(sediment_handle_end(slot, handles[number]) && !sediment_handle_end(slot, handles[number]));
      CHECK(values[number] == number);
    }
    sediment_handle_leave(slot);
    CHECK((values[number] == UINT32_MAX) == (number % 2 == 0));
    enum sediment_handle_fault fault = sediment_handle_fault_of(handles[number], kind, KINDS);
    if (number % 2 == 0) CHECK(fault == SEDIMENT_HANDLE_CLOSED && sediment_handle_enter(handles[number], kind) == NULL);
    add(digest, (uint64_t)fault);
  }
  CHECK(released_count == HANDLES / 2);
  CHECK(sediment_handle_fault_of(NULL, STORE, KINDS) == SEDIMENT_HANDLE_NULL);
  uint64_t random = 4;
  for (int number = 0; number < 100000; number++) {
    void *invented = (void *)(uintptr_t)next_random(&random);
    uint32_t kind = sediment_handle_kind((uintptr_t)invented);
    if (kind != STORE && kind != BATCH) CHECK(sediment_handle_enter(invented, STORE) == NULL);
    add(digest, (uint64_t)sediment_handle_fault_of(invented, STORE, KINDS));
  }
}

// All threads use and close all handles; each is closed by one of them.
static void *use(void *context) {
  uint64_t random = (uint64_t)(uintptr_t)context, closed = 0;
  for (int step = 0; step < 100000; step++) {
    uint32_t number = (uint32_t)(next_random(&random) % HANDLES);
    struct sediment_slot *slot = sediment_handle_enter(handles[number], STORE);
    if (slot == NULL) continue;
    CHECK(*(uint32_t *)sediment_handle_object(slot) == number);
    if (next_random(&random) % 50 == 0) closed += sediment_handle_end(slot, handles[number]);
    sediment_handle_leave(slot);
  }
  return (void *)(uintptr_t)closed;
}

int main(void) {
  uint64_t digest = 0;
  one_thread(&digest);
  released_count = 0;
  for (uint32_t number = 0; number < HANDLES; number++) {
    values[number] = number;
    handles[number] = sediment_handle_make(STORE, &values[number]);
    CHECK(handles[number] != NULL);
  }
  pthread_t threads[THREADS];
  for (uintptr_t number = 0; number < THREADS; number++) {
    CHECK(pthread_create(&threads[number], NULL, use, (void *)(number + 1)) == 0);
  }
  uint64_t closed = 0;
  for (int number = 0; number < THREADS; number++) {
    void *result;
    CHECK(pthread_join(threads[number], &result) == 0);
    closed += (uintptr_t)result;
  }
  CHECK(closed == released_count);
  print_digest("handles", digest);
  return 0;
}
