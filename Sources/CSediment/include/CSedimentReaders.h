#ifndef CSEDIMENT_READERS_H
#define CSEDIMENT_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The announcements of readers: what they may still hold is not freed.
//
// A thread that reads stores announces itself in a slot of its own: with the epoch, a counter of the
// process, and the domain, the number of the store. Who takes something out of a store's structures
// (unlinks it), so that no reader can find it any more, raises the epoch and keeps the one before as its tag.
// It is past, and may be freed, once no slot announces its domain with an epoch at or below the tag.
//
// Why a reader that may hold what was unlinked is always seen. The reader
//   R1  loads the epoch e (acquire);
//   R2  stores its announcement (release);
//   R3  orders R2 before R4 (below);
//   R4  follows pointers, and reads what they lead to;
//   R5  stores 0 (release).
// The reclaimer, which may be several threads that hand over to one another under a lock,
//   W1  unlinks an object;
//   W2  adds one to the epoch (a read-modify-write, acquire and release), which gives the tag t;
//   W3  orders W1 before W4 (below);
//   W4  loads all slots (acquire).
// W3 makes every thread of the process pass a point p at which all before W3 is visible to what the thread
// does after p, and all that the thread did before p is visible to W4.
// - p before R2: all of R4 comes after p and sees W1. The reader cannot find the object, whatever it
//   announces. This is also the reader that loaded the epoch early and announced itself after the scan.
// - p after R2: W4 loads R2's value or a later one of this slot.
//   - R2's value, with e <= t: the reader is seen.
//   - R2's value, with e > t: R1 read what W2 or a later addition stored. Each addition continues the release
//     sequence of those before it, so W2 synchronizes with R1, R4 sees W1, and the reader cannot find it.
//   - a later value: R5, or a later announcement of the slot, was stored with release after R4 had ended, and
//     W4 acquires it, so that what the reader did is over before the object is freed.
// A slot that was added to the list or changed hands after p is the first case; before p, W4 finds it.
// A scope within a scope of the same domain keeps the announcement, whose epoch is older than the one it would
// load and so only holds more. One of another domain makes an announcement of its own beside the first, as if
// it were that of another thread; it lasts until that scope ends. If a thread is in scopes of more domains than
// a slot has room for, the first announcement is widened to all of them, which is another R2.
//
// R3 and W3 are a pair. Where Linux has it, W3 is the system call membarrier, which interrupts each running
// thread of the process for a full fence; a thread that does not run has passed one when it was switched
// off. Then R3 need only keep the compiler from moving R4 above R2, and a read costs no fence. Elsewhere R3
// and W3 are sequentially consistent fences: if R3 precedes W3 in their order, W4 sees R2; else R4 sees W1.
//
// Which of the two R3 is, it asks after R2, so that a thread that slept before R2 does not go by an old answer.
//
// Holds. A scope holds everything that is unlinked after it began, so no code of a user runs in one. Before the call the
// thread exchanges its scope for holds: each names one slot of the store's file that the call reads.
//   R4a  stores the hold (release), still in the scope whose R4 found the slot's bytes;
//   R5   ends the scope (release);
//   R6   stores 0 to the hold (release) after the call.
// The reclaimer gives back slots whose tag is past and, in
//   W5  loads all holds (acquire), after W4,
// which no hold names. A reader that may read the slots began its scope before p (or it could not find them), so W4
// loads R2's value, and the reader is seen, or a later value, which was stored by R5 or after it. Then W5 comes after R4a
// and loads the hold, or what R6 stored after the last read of the bytes. No fence is needed between R4a and R5.
//
// Watching. Whoever needs slots that a hold names does not poll:
//   W6  sets the hold's bit in `watched` (a read-modify-write);
//   W7  orders W6 before W8, as W3 does;
//   W8  loads the hold again.
// The end of a hold is R6, then R3, then R7: a load of `watched`. If W8 still finds the hold, R6 comes after the point
// that W7 makes the thread pass, so does R7, and it finds the bit. Then it clears the bit and wakes the domain.

#define SEDIMENT_DOMAIN_BITS 16
#define SEDIMENT_DOMAIN_ALL UINT64_C(0xFFFF)

// What a thread does as soon as it is in no scope any more.
struct sediment_departure {
  void (*body)(void *context);
  void *context;
  struct sediment_departure *next;
};

// A scope of another domain within the first: its announcement, and how many scopes the thread was in with it.
struct sediment_inner_reader {
  uint64_t announcement;
  uint32_t depth;
};

enum { SEDIMENT_INNER_READERS = 3, SEDIMENT_OWNED_BY_THREAD = 1, SEDIMENT_OWNED_BY_PIN = 2 };

// The number of holds in one slot.
enum { SEDIMENT_HOLDS = 3 };

// Alone on two lines of the cache, since processors fetch lines in pairs. Only the thread that owns a slot
// writes its announcements, depth and holds.
struct sediment_reader {
  // The epoch above the domain's bits, or 0 when the thread does not read.
  uint64_t announcement;
  // How many scopes the thread is in; the highest bit is set while it has departures.
  uint32_t depth;
  // SEDIMENT_OWNED_BY_THREAD or SEDIMENT_OWNED_BY_PIN, 0 while the slot is free.
  uint32_t owned;
  struct sediment_reader *next;
  struct sediment_departure *departures;
  // How many of these there are; the last has the greatest depth.
  uint32_t inner_count;
  // The thread's holds, which end in the opposite order: the first ones are here, the others in the slots that `more`
  // leads to.
  uint32_t hold_count;
  struct sediment_inner_reader inner[SEDIMENT_INNER_READERS];
  // Each a slot of a file above the domain's bits, or 0.
  uint64_t holds[SEDIMENT_HOLDS];
  struct sediment_reader *more;
  // A bit for each hold whose end somebody waits for; the highest one while departures wait for the last hold to end.
  uint32_t watched;
} __attribute__((aligned(128)));

#define SEDIMENT_DEPARTING UINT32_C(0x80000000)

// Small enough to be worth no call, which compilers do not always see.
#define SEDIMENT_PART_OF_CALLER static inline __attribute__((always_inline))

// The model of the program's own variables, which is one instruction. Musl refuses to load a library later
// that uses it.
#if defined(__GLIBC__)
#define SEDIMENT_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) __thread
#else
#define SEDIMENT_THREAD_LOCAL __thread
#endif

// The slot of this thread, or null before the first use and after the thread's destructors gave it back.
extern SEDIMENT_THREAD_LOCAL struct sediment_reader *sediment_reader_slot;

// Fills two lines of the cache, because every advance takes them from all readers. The epoch is never 0, and
// 48 bits wide: at a million a second it lasts nine years.
struct sediment_reader_epoch {
  uint64_t value;
} __attribute__((aligned(128)));
extern struct sediment_reader_epoch sediment_reader_epoch;

// Whether readers execute fences. Read by every reader, and seldom written.
extern uint32_t sediment_reader_fences;

// Gives this thread a slot; ends the process if there is no memory for one.
struct sediment_reader *sediment_reader_claim(void);

// R3.
static inline void sediment_reader_order(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(__atomic_load_n(&sediment_reader_fences, __ATOMIC_RELAXED) != 0, 0)) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

// Goes on with a scope that begins within another, and with the end of one that another goes around or that was
// the last before departures.
void sediment_reader_enter_inner(struct sediment_reader *slot, uint64_t domain);
void sediment_reader_leave_inner(struct sediment_reader *slot);

// Begins a scope of this thread, for a domain from 1 to SEDIMENT_DOMAIN_ALL. Not for signal handlers.
SEDIMENT_PART_OF_CALLER void sediment_reader_enter(uint64_t domain) {
  struct sediment_reader *slot = sediment_reader_slot;
  if (__builtin_expect(slot == NULL, 0)) slot = sediment_reader_claim();
  if (__builtin_expect(slot->depth++ == 0, 1)) {
    uint64_t epoch = __atomic_load_n(&sediment_reader_epoch.value, __ATOMIC_ACQUIRE);
    __atomic_store_n(&slot->announcement, epoch << SEDIMENT_DOMAIN_BITS | domain, __ATOMIC_RELEASE);
    sediment_reader_order();
    return;
  }
  sediment_reader_enter_inner(slot, domain);
}

// Ends the scope that this thread began last; traps if it is in none.
SEDIMENT_PART_OF_CALLER void sediment_reader_leave(void) {
  struct sediment_reader *slot = sediment_reader_slot;
  if (__builtin_expect(slot == NULL || slot->depth == 0, 0)) __builtin_trap();
  if (__builtin_expect(--slot->depth == 0, 1)) {
    __atomic_store_n(&slot->announcement, 0, __ATOMIC_RELEASE);
    return;
  }
  sediment_reader_leave_inner(slot);
}

// Lets a function be called with the domain whenever a hold has ended that was watched; always the same one.
void sediment_reader_wake_by(void (*woken)(uint64_t domain));

// Go on with a hold that has no place in the thread's own slot, and with the end of one that lies elsewhere, is not there
// or is watched.
void sediment_reader_hold_more(struct sediment_reader *slot, uint32_t number, uint64_t hold);
void sediment_reader_let_go_last(struct sediment_reader *slot);
void sediment_reader_let_go_watched(struct sediment_reader *slot, uint32_t number, uint64_t hold);

// Holds a slot of the domain's file beyond the end of the scope in which it was found (R4a); slot 0 stands for none.
SEDIMENT_PART_OF_CALLER void sediment_reader_hold(uint64_t domain, uint64_t file_slot) {
  struct sediment_reader *slot = sediment_reader_slot;
  if (__builtin_expect(slot == NULL, 0)) __builtin_trap();
  uint64_t hold = file_slot << SEDIMENT_DOMAIN_BITS | domain;
  uint32_t number = slot->hold_count++;
  if (__builtin_expect(number < SEDIMENT_HOLDS, 1)) {
    __atomic_store_n(&slot->holds[number], hold, __ATOMIC_RELEASE);
    return;
  }
  sediment_reader_hold_more(slot, number, hold);
}

// Replaces the scope that this thread began last by a hold (R4a, R5): `sediment_reader_hold` and `sediment_reader_leave`
// where neither is the only one of the thread.
void sediment_reader_exchange_inner(uint64_t domain, uint64_t file_slot);

SEDIMENT_PART_OF_CALLER void sediment_reader_exchange(uint64_t domain, uint64_t file_slot) {
  // The scope's beginning has made sure that there is one.
  struct sediment_reader *slot = sediment_reader_slot;
  uint32_t number = slot->hold_count;
  if (__builtin_expect(slot->depth == 1 && number < SEDIMENT_HOLDS, 1)) {
    slot->hold_count = number + 1;
    __atomic_store_n(&slot->holds[number], file_slot << SEDIMENT_DOMAIN_BITS | domain, __ATOMIC_RELEASE);
    slot->depth = 0;
    __atomic_store_n(&slot->announcement, 0, __ATOMIC_RELEASE);
    return;
  }
  sediment_reader_exchange_inner(domain, file_slot);
}

// Ends the hold that this thread began last (R6, R7); traps if it has none.
SEDIMENT_PART_OF_CALLER void sediment_reader_let_go(void) {
  // The hold's beginning has made sure that there is one.
  struct sediment_reader *slot = sediment_reader_slot;
  // Without a hold it is the highest number.
  uint32_t number = slot->hold_count - 1;
  if (__builtin_expect(number < SEDIMENT_HOLDS, 1)) {
    slot->hold_count = number;
    uint64_t hold = slot->holds[number];
    __atomic_store_n(&slot->holds[number], 0, __ATOMIC_RELEASE);
    sediment_reader_order();
    if (__builtin_expect(__atomic_load_n(&slot->watched, __ATOMIC_RELAXED) == 0, 1)) return;
    sediment_reader_let_go_watched(slot, number, hold);
    return;
  }
  sediment_reader_let_go_last(slot);
}

// Makes a hold that is no thread's: a pin, which ends with the slot that is given back, on any thread and in any order.
// Called in the scope in which the file's slot was found. Ends the process if there is no memory.
struct sediment_reader *sediment_reader_pin(uint64_t domain, uint64_t file_slot);
void sediment_reader_unpin(struct sediment_reader *slot);

// W5, after `sediment_reader_oldest`: the file's slots that holds of the domain name, some perhaps twice, as far as there
// is room for them; how many there are.
size_t sediment_reader_holds(uint64_t domain, uint64_t *file_slots, size_t room);

// W6 to W8: watches the holds of the domain that name a slot from `first` to below `end`. Whether there are any; `others`
// is how many of these are not this thread's. When one of them ends, its domain is woken.
bool sediment_reader_watch(uint64_t domain, uint64_t first, uint64_t end, size_t *others);

// Whether there are pins; in a child after a fork, those of its parent are among them.
bool sediment_reader_has_pins(void);

// How many scopes this thread is in; whether it is in one of a domain; whether it has a hold of a domain; whether it is in
// no scope and has no hold.
uint32_t sediment_reader_depth(void);
bool sediment_reader_is_inside(uint64_t domain);

// The epoch that this thread announces for a domain, UINT64_MAX if none; and the one that it would announce now.
//
// A thread that has left a scope of epoch e may use what it found there in a later scope, if it announces e again and the
// epoch, loaded after R3, still is e. Whatever was unlinked after the first scope began has a tag of at least e, and its W2
// comes after that load. So does the point p of its W3, and W4 finds the announcement.
uint64_t sediment_reader_epoch_inside(uint64_t domain);
static inline uint64_t sediment_reader_epoch_now(void) {
  return __atomic_load_n(&sediment_reader_epoch.value, __ATOMIC_ACQUIRE);
}

bool sediment_reader_is_holding(uint64_t domain);
bool sediment_reader_is_outside(void);

// Lets this thread, which is in a scope or has a hold, call something once it is outside; the departure is the thread's
// until then.
void sediment_reader_depart(struct sediment_departure *departure);

// W2: the tag of what was unlinked before the call.
uint64_t sediment_reader_advance(void);

// W3 and W4: the lowest epoch that a reader of the domain (or of all) announces, UINT64_MAX if there is none.
// What has a tag below it and was unlinked before the call is past. 0 when it cannot be told, for a second
// after the system began to refuse the barrier that it had granted.
uint64_t sediment_reader_oldest(uint64_t domain);

// How many slots there are: as many as threads read and pins were kept at one time, and a 16th more at most.
size_t sediment_reader_slot_count(void);

// How many slots were looked at so far for a free one.
size_t sediment_reader_looked_count(void);

#endif
