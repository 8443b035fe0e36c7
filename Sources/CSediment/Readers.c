#if !defined(__APPLE__)
#define _GNU_SOURCE
#endif
#include "CSedimentReaders.h"

#include "CSedimentThreads.h"
#include "Forks.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

struct sediment_reader_epoch sediment_reader_epoch = {.value = 1};
SEDIMENT_THREAD_LOCAL struct sediment_reader *sediment_reader_slot = NULL;

// Until it is known that the system has a barrier, readers execute fences.
uint32_t sediment_reader_fences = 1;

// Whether reclaimers use the system's barrier. Once it is 0, it stays so.
static uint32_t barrier_works = 0;
// From this time on, every reader that announced itself without a fence has been visible for long.
static uint64_t fences_suffice_from = 0;

// All slots. They are never taken out of the list nor freed, so it can be followed without a lock.
static struct sediment_reader *slots = NULL;

// Its value in a thread is the thread's slot. It is the truth and `sediment_reader_slot` a copy, because the
// copy may be freed and made anew (as null) while the thread's destructors run.
static pthread_key_t slot_key;
static int has_slot_key = 0;
static pthread_once_t is_set_up = PTHREAD_ONCE_INIT;

// The sanitizer knows nothing of what the system's barrier orders, and threads that a test schedules need none.
#if defined(SEDIMENT_SCHEDULES)
#define WITHOUT_BARRIER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITHOUT_BARRIER 1
#endif
#endif

#if defined(__linux__) && defined(SYS_membarrier) && !defined(WITHOUT_BARRIER)

// Of the kernel's interface; not every C library has the header.
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static int register_barrier(void) { return syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0; }

// In a child after a fork the process may have to be registered again.
static int run_barrier(void) {
  if (syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) == 0) return 1;
  return register_barrier() && syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) == 0;
}

#else

static int register_barrier(void) { return 0; }
static int run_barrier(void) { return 0; }

#endif

static void (*wake_domain)(uint64_t domain) = NULL;

void sediment_reader_wake_by(void (*woken)(uint64_t domain)) {
  __atomic_store_n(&wake_domain, woken, __ATOMIC_RELEASE);
}

#define WATCHED_BY_DEPARTURES UINT32_C(0x80000000)

// Hints for whoever takes a slot among many that are owned; `owned` alone decides. At least as many are free as are
// counted here sooner or later.
static uint64_t slot_count = 0;
static uint64_t free_slot_count = 0;
static uint64_t looked_slot_count = 0;
static struct sediment_reader *given_back_last = NULL;
static struct sediment_reader *search_start = NULL;

static int take_if_free(struct sediment_reader *slot, uint32_t owner) {
  uint32_t free = 0;
  if (__atomic_load_n(&slot->owned, __ATOMIC_RELAXED) != 0) return 0;
  // Acquires what the slot's last thread wrote.
  if (!__atomic_compare_exchange_n(&slot->owned, &free, owner, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return 0;
  (void)__atomic_fetch_sub(&free_slot_count, 1, __ATOMIC_RELAXED);
  return 1;
}

static void free_slot(struct sediment_reader *slot) {
  (void)__atomic_fetch_add(&free_slot_count, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->owned, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&given_back_last, slot, __ATOMIC_RELEASE);
}

// Looks at a few slots on average, however many there are: it goes round from where the last search ended, and only
// where more than a 16th of all is free.
static struct sediment_reader *take_free_slot(uint32_t owner) {
  struct sediment_reader *last = __atomic_exchange_n(&given_back_last, NULL, __ATOMIC_ACQ_REL);
  if (last != NULL && take_if_free(last, owner)) return last;
  uint64_t count = __atomic_load_n(&slot_count, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&free_slot_count, __ATOMIC_RELAXED) * 16 <= count) return NULL;
  struct sediment_reader *slot = __atomic_load_n(&search_start, __ATOMIC_ACQUIRE), *found = NULL;
  uint64_t looked = 0;
  while (found == NULL && looked++ < count) {
    if (slot == NULL) slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
    if (take_if_free(slot, owner)) found = slot;
    slot = slot->next;
  }
  __atomic_store_n(&search_start, slot, __ATOMIC_RELEASE);
  (void)__atomic_fetch_add(&looked_slot_count, looked, __ATOMIC_RELAXED);
  return found;
}

static struct sediment_reader *add_slot(uint32_t owner) {
  void *memory = NULL;
  if (posix_memalign(&memory, _Alignof(struct sediment_reader), sizeof(struct sediment_reader)) != 0) abort();
  struct sediment_reader *slot = memory;
  *slot = (struct sediment_reader){.owned = owner, .next = __atomic_load_n(&slots, __ATOMIC_ACQUIRE)};
  while (!__atomic_compare_exchange_n(&slots, &slot->next, slot, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  // Counted once it is in the list, so that a search never goes on where there is none.
  (void)__atomic_fetch_add(&slot_count, 1, __ATOMIC_RELEASE);
  return slot;
}

static struct sediment_reader *take_slot(uint32_t owner) {
  struct sediment_reader *slot = take_free_slot(owner);
  return slot == NULL ? add_slot(owner) : slot;
}

// Ends all scopes of a slot.
static void end_scopes(struct sediment_reader *slot) {
  for (; slot->inner_count > 0; slot->inner_count--) {
    __atomic_store_n(&slot->inner[slot->inner_count - 1].announcement, 0, __ATOMIC_RELEASE);
  }
  slot->depth = 0;
  __atomic_store_n(&slot->announcement, 0, __ATOMIC_RELEASE);
}

// Calls what waited for the thread to be in no scope, the first that came first.
static void depart(struct sediment_reader *slot) {
  struct sediment_departure *departure = slot->departures;
  slot->departures = NULL;
  while (departure != NULL) {
    struct sediment_departure *next = departure->next;
    departure->body(departure->context);
    departure = next;
  }
}

static void wake(uint64_t hold) {
  void (*woken)(uint64_t) = __atomic_load_n(&wake_domain, __ATOMIC_ACQUIRE);
  if (woken != NULL) woken(hold & SEDIMENT_DOMAIN_ALL);
}

// Takes the bit of a hold that has ended out of its slot; whether somebody waited.
static bool take_watch(struct sediment_reader *slot, uint32_t number) {
  uint32_t bit = UINT32_C(1) << number;
  if ((__atomic_load_n(&slot->watched, __ATOMIC_RELAXED) & bit) == 0) return false;
  (void)__atomic_fetch_and(&slot->watched, ~bit, __ATOMIC_ACQ_REL);
  return true;
}

// Calls departures if the thread is outside by now, or lets them wait for the end of its scope.
static void depart_without_holds(struct sediment_reader *slot) {
  if (slot->hold_count > 0 || slot->departures == NULL) return;
  (void)__atomic_fetch_and(&slot->watched, ~WATCHED_BY_DEPARTURES, __ATOMIC_RELAXED);
  if (slot->depth > 0) {
    slot->depth |= SEDIMENT_DEPARTING;
  } else {
    depart(slot);
  }
}

void sediment_reader_let_go_watched(struct sediment_reader *slot, uint32_t number, uint64_t hold) {
  if (take_watch(slot, number)) wake(hold);
  depart_without_holds(slot);
}

// The slot in which a hold of a thread lies, by its number there.
static struct sediment_reader *slot_of_hold(struct sediment_reader *slot, uint32_t *number) {
  for (; *number >= SEDIMENT_HOLDS; *number -= SEDIMENT_HOLDS) {
    if (slot->more == NULL) slot->more = take_slot(SEDIMENT_OWNED_BY_THREAD);
    slot = slot->more;
  }
  return slot;
}

void sediment_reader_hold_more(struct sediment_reader *slot, uint32_t number, uint64_t hold) {
  slot = slot_of_hold(slot, &number);
  __atomic_store_n(&slot->holds[number], hold, __ATOMIC_RELEASE);
}

void sediment_reader_exchange_inner(uint64_t domain, uint64_t file_slot) {
  sediment_reader_hold(domain, file_slot);
  sediment_reader_leave();
}

// Ends the hold of a number that has no place in the thread's own slot.
static void let_go_more(struct sediment_reader *slot, uint32_t number) {
  slot = slot_of_hold(slot, &number);
  uint64_t hold = slot->holds[number];
  __atomic_store_n(&slot->holds[number], 0, __ATOMIC_RELEASE);
  sediment_reader_order();
  if (take_watch(slot, number)) wake(hold);
}

void sediment_reader_let_go_last(struct sediment_reader *slot) {
  if (slot->hold_count == 0) __builtin_trap();
  let_go_more(slot, --slot->hold_count);
}

// Ends all holds of a thread, and gives back the slots that its own leads to.
static void end_holds(struct sediment_reader *slot) {
  while (slot->hold_count > SEDIMENT_HOLDS) let_go_more(slot, --slot->hold_count);
  while (slot->hold_count > 0) {
    uint32_t number = --slot->hold_count;
    uint64_t hold = slot->holds[number];
    __atomic_store_n(&slot->holds[number], 0, __ATOMIC_RELEASE);
    sediment_reader_order();
    if (take_watch(slot, number)) wake(hold);
  }
  while (slot->more != NULL) {
    struct sediment_reader *more = slot->more;
    slot->more = more->more;
    more->more = NULL;
    free_slot(more);
  }
}

static void give_back(void *value) {
  struct sediment_reader *slot = value;
  // A thread that ends within a scope or closure reads no more.
  end_scopes(slot);
  end_holds(slot);
  (void)__atomic_fetch_and(&slot->watched, ~WATCHED_BY_DEPARTURES, __ATOMIC_RELAXED);
  depart(slot);
  // Should a later destructor of this thread read, it claims a slot again, and this one runs again.
  sediment_reader_slot = NULL;
  free_slot(slot);
}

static void set_up(void) {
  // Without a key the slots of threads that end are not used again.
#if !defined(SEDIMENT_SCHEDULES)
  has_slot_key = pthread_key_create(&slot_key, give_back) == 0;
#endif
  if (register_barrier()) {
    // Readers stop their fences only after reclaimers can do without, whoever sees what.
    __atomic_store_n(&barrier_works, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&sediment_reader_fences, 0, __ATOMIC_SEQ_CST);
  }
}

// When the program or library is loaded, so that the switch to the barrier meets no reader; but other code
// that runs then may come first.
__attribute__((constructor)) static void set_up_once(void) { (void)pthread_once(&is_set_up, set_up); }

struct sediment_reader *sediment_reader_claim(void) {
  set_up_once();
  struct sediment_reader *slot = has_slot_key ? pthread_getspecific(slot_key) : NULL;
  if (slot == NULL) {
    slot = take_slot(SEDIMENT_OWNED_BY_THREAD);
    // Where it fails, for want of memory, the slot is not used again.
    if (has_slot_key) (void)pthread_setspecific(slot_key, slot);
  }
  sediment_reader_slot = slot;
  return slot;
}

void sediment_reader_enter_inner(struct sediment_reader *slot, uint64_t domain) {
  uint64_t announcement = __atomic_load_n(&slot->announcement, __ATOMIC_RELAXED);
  uint64_t announced = announcement & SEDIMENT_DOMAIN_ALL;
  if (announced == domain || announced == SEDIMENT_DOMAIN_ALL) return;
  for (uint32_t number = 0; number < slot->inner_count; number++) {
    if ((slot->inner[number].announcement & SEDIMENT_DOMAIN_ALL) == domain) return;
  }
  if (domain == SEDIMENT_DOMAIN_ALL || slot->inner_count == SEDIMENT_INNER_READERS) {
    __atomic_store_n(&slot->announcement, announcement | SEDIMENT_DOMAIN_ALL, __ATOMIC_RELEASE);
  } else {
    struct sediment_inner_reader *inner = &slot->inner[slot->inner_count++];
    uint64_t epoch = __atomic_load_n(&sediment_reader_epoch.value, __ATOMIC_ACQUIRE);
    inner->depth = slot->depth & ~SEDIMENT_DEPARTING;
    __atomic_store_n(&inner->announcement, epoch << SEDIMENT_DOMAIN_BITS | domain, __ATOMIC_RELEASE);
  }
  sediment_reader_order();
}

void sediment_reader_leave_inner(struct sediment_reader *slot) {
  uint32_t depth = slot->depth & ~SEDIMENT_DEPARTING;
  if (depth == 0) {
    end_scopes(slot);
    if (slot->hold_count == 0) {
      depart(slot);
    } else if (slot->departures != NULL) {
      (void)__atomic_fetch_or(&slot->watched, WATCHED_BY_DEPARTURES, __ATOMIC_RELAXED);
    }
  } else if (slot->inner_count > 0 && slot->inner[slot->inner_count - 1].depth > depth) {
    __atomic_store_n(&slot->inner[--slot->inner_count].announcement, 0, __ATOMIC_RELEASE);
  }
}

struct sediment_reader *sediment_reader_pin(uint64_t domain, uint64_t file_slot) {
  set_up_once();
  struct sediment_reader *slot = take_slot(SEDIMENT_OWNED_BY_PIN);
  __atomic_store_n(&slot->holds[0], file_slot << SEDIMENT_DOMAIN_BITS | domain, __ATOMIC_RELEASE);
  return slot;
}

void sediment_reader_unpin(struct sediment_reader *slot) {
  uint64_t hold = slot->holds[0];
  __atomic_store_n(&slot->holds[0], 0, __ATOMIC_RELEASE);
  sediment_reader_order();
  bool is_awaited = take_watch(slot, 0);
  free_slot(slot);
  if (is_awaited) wake(hold);
  sediment_forked_files_unpinned();
}

bool sediment_reader_has_pins(void) {
  const struct sediment_reader *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
  for (; slot != NULL; slot = slot->next) {
    if (__atomic_load_n(&slot->owned, __ATOMIC_RELAXED) == SEDIMENT_OWNED_BY_PIN) return true;
  }
  return false;
}

// The epoch of an announcement if it is of the domain or of all, or the domain is all; else UINT64_MAX.
static uint64_t epoch_in(const uint64_t *place, uint64_t domain) {
  uint64_t announcement = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  uint64_t announced = announcement & SEDIMENT_DOMAIN_ALL;
  if (announcement == 0) return UINT64_MAX;
  if (announced != domain && announced != SEDIMENT_DOMAIN_ALL && domain != SEDIMENT_DOMAIN_ALL) return UINT64_MAX;
  return announcement >> SEDIMENT_DOMAIN_BITS;
}

uint32_t sediment_reader_depth(void) {
  return sediment_reader_slot == NULL ? 0 : sediment_reader_slot->depth & ~SEDIMENT_DEPARTING;
}

uint64_t sediment_reader_epoch_inside(uint64_t domain) {
  const struct sediment_reader *slot = sediment_reader_slot;
  if (slot == NULL || slot->depth == 0) return UINT64_MAX;
  uint64_t epoch = epoch_in(&slot->announcement, domain);
  for (uint32_t number = 0; epoch == UINT64_MAX && number < slot->inner_count; number++) {
    epoch = epoch_in(&slot->inner[number].announcement, domain);
  }
  return epoch;
}

bool sediment_reader_is_inside(uint64_t domain) { return sediment_reader_epoch_inside(domain) != UINT64_MAX; }

bool sediment_reader_is_holding(uint64_t domain) {
  struct sediment_reader *slot = sediment_reader_slot;
  if (slot == NULL) return false;
  for (uint32_t number = 0; number < slot->hold_count; number++) {
    uint32_t place = number;
    const struct sediment_reader *holder = slot_of_hold(slot, &place);
    if ((holder->holds[place] & SEDIMENT_DOMAIN_ALL) == domain) return true;
  }
  return false;
}

bool sediment_reader_is_outside(void) {
  const struct sediment_reader *slot = sediment_reader_slot;
  return slot == NULL || ((slot->depth & ~SEDIMENT_DEPARTING) == 0 && slot->hold_count == 0);
}

void sediment_reader_depart(struct sediment_departure *departure) {
  struct sediment_reader *slot = sediment_reader_slot;
  if (slot == NULL || sediment_reader_is_outside()) __builtin_trap();
  struct sediment_departure **end = &slot->departures;
  while (*end != NULL) end = &(*end)->next;
  departure->next = NULL;
  *end = departure;
  if (slot->depth > 0) {
    slot->depth |= SEDIMENT_DEPARTING;
  } else {
    (void)__atomic_fetch_or(&slot->watched, WATCHED_BY_DEPARTURES, __ATOMIC_RELAXED);
  }
}

uint64_t sediment_reader_advance(void) {
  return __atomic_fetch_add(&sediment_reader_epoch.value, 1, __ATOMIC_ACQ_REL);
}

// W3. Returns 0 when nothing ordered the readers.
static int order_readers(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  set_up_once();
  if (__atomic_load_n(&barrier_works, __ATOMIC_ACQUIRE) != 0) {
    if (run_barrier()) {
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
      return 1;
    }
    // The process was forbidden the call after it had begun, or the kernel has no memory. From now on readers
    // execute fences. One that asked before asked right after it had stored its announcement, and no
    // processor keeps a store to itself for anything like a second; until then nothing is past.
    __atomic_store_n(&sediment_reader_fences, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&fences_suffice_from, sediment_monotonic_now() + 1000000000, __ATOMIC_SEQ_CST);
    __atomic_store_n(&barrier_works, 0, __ATOMIC_SEQ_CST);
  }
  uint64_t from = __atomic_load_n(&fences_suffice_from, __ATOMIC_ACQUIRE);
  return from == 0 || sediment_monotonic_now() >= from;
}

uint64_t sediment_reader_oldest(uint64_t domain) {
  if (!order_readers()) return 0;
  uint64_t oldest = UINT64_MAX;
  const struct sediment_reader *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
  for (; slot != NULL; slot = slot->next) {
    uint64_t epoch = epoch_in(&slot->announcement, domain);
    if (epoch < oldest) oldest = epoch;
    for (int number = 0; number < SEDIMENT_INNER_READERS; number++) {
      epoch = epoch_in(&slot->inner[number].announcement, domain);
      if (epoch < oldest) oldest = epoch;
    }
  }
  return oldest;
}

// The slot of the file that a hold names if it is of the domain; UINT64_MAX for any other and none.
static uint64_t held_in(const uint64_t *place, uint64_t domain) {
  uint64_t hold = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  return hold != 0 && (hold & SEDIMENT_DOMAIN_ALL) == domain ? hold >> SEDIMENT_DOMAIN_BITS : UINT64_MAX;
}

size_t sediment_reader_holds(uint64_t domain, uint64_t *file_slots, size_t room) {
  size_t count = 0;
  const struct sediment_reader *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
  for (; slot != NULL; slot = slot->next) {
    for (int number = 0; number < SEDIMENT_HOLDS; number++) {
      uint64_t held = held_in(&slot->holds[number], domain);
      if (held == UINT64_MAX || held == 0) continue;
      if (count < room) file_slots[count] = held;
      count++;
    }
  }
  return count;
}

// Whether a slot is this thread's, or one that its own leads to.
static bool is_mine(const struct sediment_reader *slot) {
  const struct sediment_reader *mine = sediment_reader_slot;
  while (mine != NULL && mine != slot) mine = mine->more;
  return mine != NULL;
}

bool sediment_reader_watch(uint64_t domain, uint64_t first, uint64_t end, size_t *others) {
  for (int pass = 0;; pass++) {
    size_t count = 0, new_count = 0;
    *others = 0;
    struct sediment_reader *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
    for (; slot != NULL; slot = slot->next) {
      for (uint32_t number = 0; number < SEDIMENT_HOLDS; number++) {
        uint64_t held = held_in(&slot->holds[number], domain);
        if (held == UINT64_MAX || held < first || held >= end) continue;
        uint32_t bit = UINT32_C(1) << number;
        count++;
        if (!is_mine(slot)) ++*others;
        if ((__atomic_fetch_or(&slot->watched, bit, __ATOMIC_SEQ_CST) & bit) == 0) new_count++;
      }
    }
    // Each hold counts only if it was found again after the order that followed its bit.
    if (count == 0) return false;
    if (pass > 0 && new_count == 0) return true;
    // It fails for a second, once in the life of a process.
    while (!order_readers()) sediment_sleep(10000000);
  }
}

size_t sediment_reader_slot_count(void) { return __atomic_load_n(&slot_count, __ATOMIC_RELAXED); }

size_t sediment_reader_looked_count(void) { return __atomic_load_n(&looked_slot_count, __ATOMIC_RELAXED); }

void sediment_readers_after_fork(void) {
  struct sediment_reader *mine = has_slot_key ? pthread_getspecific(slot_key) : sediment_reader_slot;
  uint64_t free_count = 0;
  for (struct sediment_reader *slot = slots; slot != NULL; slot = slot->next) {
    // Whoever waited is in the parent.
    slot->watched &= WATCHED_BY_DEPARTURES;
    const struct sediment_reader *other = mine;
    while (other != NULL && other != slot) other = other->more;
    if (other != NULL || slot->owned == SEDIMENT_OWNED_BY_PIN) continue;
    end_scopes(slot);
    for (int number = 0; number < SEDIMENT_HOLDS; number++) slot->holds[number] = 0;
    slot->hold_count = 0;
    slot->more = NULL;
    slot->watched = 0;
    slot->departures = NULL;
    __atomic_store_n(&slot->owned, 0, __ATOMIC_RELEASE);
    free_count++;
  }
  // Other threads may have been about to count.
  __atomic_store_n(&free_slot_count, free_count, __ATOMIC_RELAXED);
}
