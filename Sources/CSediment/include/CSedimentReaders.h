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

// Alone on two lines of the cache, since processors fetch lines in pairs. Only the thread that owns a slot
// writes its announcements and depth.
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
  struct sediment_inner_reader inner[SEDIMENT_INNER_READERS];
} __attribute__((aligned(128)));

#define SEDIMENT_DEPARTING UINT32_C(0x80000000)

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
static inline void sediment_reader_enter(uint64_t domain) {
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
static inline void sediment_reader_leave(void) {
  struct sediment_reader *slot = sediment_reader_slot;
  if (__builtin_expect(slot == NULL || slot->depth == 0, 0)) __builtin_trap();
  if (__builtin_expect(--slot->depth == 0, 1)) {
    __atomic_store_n(&slot->announcement, 0, __ATOMIC_RELEASE);
    return;
  }
  sediment_reader_leave_inner(slot);
}

// Begins a scope that is no thread's: a pin, which ends with the slot that is given back, on any thread and in any
// order. The thread that began it may read under it as in a scope of its own (R4), and so may whoever gets the slot.
// Ends the process if there is no memory.
struct sediment_reader *sediment_reader_pin(uint64_t domain);
void sediment_reader_unpin(struct sediment_reader *slot);

// Whether there are pins; in a child after a fork, those of its parent are among them.
bool sediment_reader_has_pins(void);

// How many scopes this thread is in, and whether it is in one of a domain.
uint32_t sediment_reader_depth(void);
bool sediment_reader_is_inside(uint64_t domain);

// Lets this thread, which is in a scope, call something once it is in none; the departure is the thread's until then.
void sediment_reader_depart(struct sediment_departure *departure);

// W2: the tag of what was unlinked before the call.
uint64_t sediment_reader_advance(void);

// W3 and W4: the lowest epoch that a reader of the domain (or of all) announces, UINT64_MAX if there is none.
// What has a tag below it and was unlinked before the call is past. 0 when it cannot be told, for a second
// after the system began to refuse the barrier that it had granted.
uint64_t sediment_reader_oldest(uint64_t domain);

// How many slots there are: as many as threads ever read at one time.
size_t sediment_reader_slot_count(void);

#endif
