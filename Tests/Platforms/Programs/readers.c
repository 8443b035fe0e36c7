// Readers' epochs: objects that are unlinked while threads read are given back only when no reader can hold them.
#include "CSedimentReaders.h"
#include "CSedimentThreads.h"
#include "program.h"

#include <string.h>

enum { READERS = 4, OBJECTS = 3000, DOMAIN = 7, OTHER = 8, WORDS = 8 };

struct object {
  uint64_t words[WORDS];
  uint64_t tag;
  struct object *next;
};

static struct object *shown;
static int is_over;
static int live_count;
static uint64_t woken_count;

static struct object *make(uint64_t number) {
  struct object *object = malloc(sizeof *object);
  for (int place = 0; place < WORDS; place++) object->words[place] = number;
  return object;
}

// What a reader finds is whole, and stays so until its scope ends.
static void *read_on(void *context) {
  (void)context;
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    sediment_reader_enter(DOMAIN);
    const struct object *object = __atomic_load_n(&shown, __ATOMIC_ACQUIRE);
    uint64_t number = object->words[0];
    for (int pass = 0; pass < 3; pass++) {
      for (int place = 0; place < WORDS; place++) CHECK(object->words[place] == number);
      // A scope of another domain within it.
      sediment_reader_enter(OTHER);
      sediment_reader_leave();
    }
    CHECK(number != UINT64_MAX);
    sediment_reader_leave();
  }
  return NULL;
}

static void reclaim(struct object **unlinked) {
  uint64_t oldest = sediment_reader_oldest(DOMAIN);
  for (struct object **place = unlinked; *place != NULL;) {
    struct object *object = *place;
    if (object->tag >= oldest) {
      place = &object->next;
      continue;
    }
    *place = object->next;
    // A reader that were still here would see this.
    for (int word = 0; word < WORDS; word++) object->words[word] = UINT64_MAX;
    free(object);
    live_count--;
  }
}

static void replace_under_readers(void) {
  pthread_t threads[READERS];
  struct object *unlinked = NULL;
  shown = make(0);
  live_count = 1;
  for (int number = 0; number < READERS; number++) CHECK(pthread_create(&threads[number], NULL, read_on, NULL) == 0);
  for (uint64_t number = 1; number <= OBJECTS; number++) {
    struct object *old = __atomic_exchange_n(&shown, make(number), __ATOMIC_ACQ_REL);
    live_count++;
    old->tag = sediment_reader_advance();
    old->next = unlinked;
    unlinked = old;
    if (number % 16 == 0) reclaim(&unlinked);
  }
  __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
  for (int number = 0; number < READERS; number++) CHECK(pthread_join(threads[number], NULL) == 0);
  (void)sediment_reader_advance();
  reclaim(&unlinked);
  CHECK(unlinked == NULL && live_count == 1);
  CHECK(sediment_reader_oldest(DOMAIN) == UINT64_MAX);
}

static void woken(uint64_t domain) {
  CHECK(domain == DOMAIN);
  woken_count++;
}

// Scopes, holds and pins of one thread, step by step.
static void step_by_step(uint64_t *digest) {
  CHECK(sediment_reader_is_outside());
  sediment_reader_enter(DOMAIN);
  CHECK(sediment_reader_is_inside(DOMAIN) && !sediment_reader_is_inside(OTHER));
  uint64_t tag = sediment_reader_advance();
  CHECK(sediment_reader_oldest(DOMAIN) <= tag && sediment_reader_oldest(OTHER) == UINT64_MAX);
  sediment_reader_hold(DOMAIN, 5);
  sediment_reader_leave();
  CHECK(sediment_reader_oldest(DOMAIN) == UINT64_MAX && sediment_reader_is_holding(DOMAIN));
  uint64_t held[8];
  CHECK(sediment_reader_holds(DOMAIN, held, 8) == 1 && held[0] == 5);
  size_t others = 9;
  sediment_reader_wake_by(woken);
  CHECK(!sediment_reader_watch(DOMAIN, 6, 9, &others));
  CHECK(sediment_reader_watch(DOMAIN, 5, 6, &others) && others == 0);
  sediment_reader_let_go();
  CHECK(woken_count == 1 && sediment_reader_is_outside());
  // More holds than a slot has room for.
  sediment_reader_enter(DOMAIN);
  for (uint64_t slot = 1; slot <= 20; slot++) sediment_reader_hold(DOMAIN, slot);
  sediment_reader_leave();
  CHECK(sediment_reader_holds(DOMAIN, held, 8) == 20);
  for (int slot = 0; slot < 20; slot++) sediment_reader_let_go();
  CHECK(sediment_reader_holds(DOMAIN, held, 8) == 0);
  sediment_reader_enter(DOMAIN);
  struct sediment_reader *pin = sediment_reader_pin(DOMAIN, 11);
  sediment_reader_leave();
  CHECK(sediment_reader_has_pins() && sediment_reader_holds(DOMAIN, held, 8) == 1 && held[0] == 11);
  sediment_reader_unpin(pin);
  CHECK(!sediment_reader_has_pins());
  add(digest, woken_count);
}

int main(void) {
  uint64_t digest = 0;
  step_by_step(&digest);
  replace_under_readers();
  add(&digest, OBJECTS);
  print_digest("readers", digest);
  return 0;
}
