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

static void give_back(void *value) {
  struct sediment_reader *slot = value;
  // A thread that ends within a scope reads no more.
  end_scopes(slot);
  depart(slot);
  // Should a later destructor of this thread read, it claims a slot again, and this one runs again.
  sediment_reader_slot = NULL;
  __atomic_store_n(&slot->owned, 0, __ATOMIC_RELEASE);
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

static struct sediment_reader *take_free_slot(uint32_t owner) {
  struct sediment_reader *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
  for (; slot != NULL; slot = slot->next) {
    uint32_t free = 0;
    if (__atomic_load_n(&slot->owned, __ATOMIC_RELAXED) != 0) continue;
    // Acquires what the slot's last thread wrote.
    if (__atomic_compare_exchange_n(&slot->owned, &free, owner, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return slot;
  }
  return NULL;
}

static struct sediment_reader *add_slot(uint32_t owner) {
  void *memory = NULL;
  if (posix_memalign(&memory, _Alignof(struct sediment_reader), sizeof(struct sediment_reader)) != 0) abort();
  struct sediment_reader *slot = memory;
  *slot = (struct sediment_reader){.owned = owner, .next = __atomic_load_n(&slots, __ATOMIC_ACQUIRE)};
  while (!__atomic_compare_exchange_n(&slots, &slot->next, slot, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  return slot;
}

struct sediment_reader *sediment_reader_claim(void) {
  set_up_once();
  struct sediment_reader *slot = has_slot_key ? pthread_getspecific(slot_key) : NULL;
  if (slot == NULL) {
    slot = take_free_slot(SEDIMENT_OWNED_BY_THREAD);
    if (slot == NULL) slot = add_slot(SEDIMENT_OWNED_BY_THREAD);
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
    depart(slot);
  } else if (slot->inner_count > 0 && slot->inner[slot->inner_count - 1].depth > depth) {
    __atomic_store_n(&slot->inner[--slot->inner_count].announcement, 0, __ATOMIC_RELEASE);
  }
}

struct sediment_reader *sediment_reader_pin(uint64_t domain) {
  set_up_once();
  struct sediment_reader *slot = take_free_slot(SEDIMENT_OWNED_BY_PIN);
  if (slot == NULL) slot = add_slot(SEDIMENT_OWNED_BY_PIN);
  uint64_t epoch = __atomic_load_n(&sediment_reader_epoch.value, __ATOMIC_ACQUIRE);
  __atomic_store_n(&slot->announcement, epoch << SEDIMENT_DOMAIN_BITS | domain, __ATOMIC_RELEASE);
  sediment_reader_order();
  return slot;
}

void sediment_reader_unpin(struct sediment_reader *slot) {
  __atomic_store_n(&slot->announcement, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->owned, 0, __ATOMIC_RELEASE);
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

bool sediment_reader_is_inside(uint64_t domain) {
  const struct sediment_reader *slot = sediment_reader_slot;
  if (slot == NULL || slot->depth == 0) return false;
  if (epoch_in(&slot->announcement, domain) != UINT64_MAX) return true;
  for (uint32_t number = 0; number < slot->inner_count; number++) {
    if (epoch_in(&slot->inner[number].announcement, domain) != UINT64_MAX) return true;
  }
  return false;
}

void sediment_reader_depart(struct sediment_departure *departure) {
  struct sediment_reader *slot = sediment_reader_slot;
  if (slot == NULL || slot->depth == 0) __builtin_trap();
  struct sediment_departure **end = &slot->departures;
  while (*end != NULL) end = &(*end)->next;
  departure->next = NULL;
  *end = departure;
  slot->depth |= SEDIMENT_DEPARTING;
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

size_t sediment_reader_slot_count(void) {
  size_t count = 0;
  const struct sediment_reader *slot = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
  for (; slot != NULL; slot = slot->next) count++;
  return count;
}

void sediment_readers_after_fork(void) {
  struct sediment_reader *mine = has_slot_key ? pthread_getspecific(slot_key) : sediment_reader_slot;
  for (struct sediment_reader *slot = slots; slot != NULL; slot = slot->next) {
    if (slot == mine || slot->owned == SEDIMENT_OWNED_BY_PIN) continue;
    end_scopes(slot);
    slot->departures = NULL;
    __atomic_store_n(&slot->owned, 0, __ATOMIC_RELEASE);
  }
}
