#ifndef CSEDIMENT_HANDLES_H
#define CSEDIMENT_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The table of handles: what the pointers of sediment.h lead to.
//
// A handle is a number in the guise of a pointer: a kind, a generation, and the place of a slot. A slot's word has the
// kind and the generation of the one handle that is good for it, and how many calls use it. A call adds itself to the
// uses first, and looks whether the handle is good then; so whatever the handle is, nothing is followed that may be gone.
// Closing a handle lets the slot have no kind, and another generation; the object stays until the last use ends.
//
//   word:    kind 4 | generation | ended 1 | uses 23        with no kind, no handle is good
//   handle:  kind 4 | generation | place of the slot
//
// Nothing here takes a lock, so that a child after a fork may call all of it.

#if UINTPTR_MAX > UINT32_MAX
enum { SEDIMENT_PLACE_BITS = 24, SEDIMENT_GENERATION_BITS = 36 };
#else
enum { SEDIMENT_PLACE_BITS = 14, SEDIMENT_GENERATION_BITS = 14 };
#endif

enum {
  SEDIMENT_USE_BITS = 24,
  SEDIMENT_KIND_BITS = 4,
  SEDIMENT_HANDLE_BITS = SEDIMENT_KIND_BITS + SEDIMENT_GENERATION_BITS + SEDIMENT_PLACE_BITS,
  // Slots come in pieces of so many.
  SEDIMENT_PIECE_BITS = 9,
  SEDIMENT_PIECE_SLOTS = 1 << SEDIMENT_PIECE_BITS,
  SEDIMENT_PIECES = 1 << (SEDIMENT_PLACE_BITS - SEDIMENT_PIECE_BITS),
};

// In the word: the handle was closed, and the object waits for the last use to end.
#define SEDIMENT_HANDLE_ENDED (UINT64_C(1) << (SEDIMENT_USE_BITS - 1))
#define SEDIMENT_HANDLE_USES (SEDIMENT_HANDLE_ENDED - 1)

struct sediment_slot {
  uint64_t word;
  // What the handle is for.
  void *object;
  // The place of the next free slot and one more, 0 at the end.
  uint32_t next;
  uint32_t place;
} __attribute__((aligned(64)));

// A piece that is there stays.
extern struct sediment_slot *sediment_slot_pieces[SEDIMENT_PIECES];

// Lets go of the object of a handle. The functions of the interface have it.
void sediment_handle_release(void *object);

// The slot of a place, which is below 1 << SEDIMENT_PLACE_BITS; null if there is none yet.
static inline struct sediment_slot *sediment_slot_at(uintptr_t place) {
  struct sediment_slot *slots =
      __atomic_load_n(&sediment_slot_pieces[place >> SEDIMENT_PIECE_BITS], __ATOMIC_ACQUIRE);
  return slots == NULL ? NULL : slots + (place & (SEDIMENT_PIECE_SLOTS - 1));
}

static inline uintptr_t sediment_handle_place(uintptr_t handle) {
  return handle & (((uintptr_t)1 << SEDIMENT_PLACE_BITS) - 1);
}

// What the handle of a slot is for that the caller uses.
static inline void *sediment_handle_object(const struct sediment_slot *slot) { return slot->object; }

static inline uint32_t sediment_handle_kind(uintptr_t handle) {
  return (uint32_t)(handle >> (SEDIMENT_HANDLE_BITS - SEDIMENT_KIND_BITS));
}

// Ends a use. If it is the last one of a closed handle, the object is released.
void sediment_handle_leave_ended(struct sediment_slot *slot);
static inline void sediment_handle_leave(struct sediment_slot *slot) {
  const uint64_t word = __atomic_sub_fetch(&slot->word, 1, __ATOMIC_ACQ_REL);
  const uint64_t low = word & (SEDIMENT_HANDLE_ENDED | SEDIMENT_HANDLE_USES);
  if (__builtin_expect(low == SEDIMENT_HANDLE_ENDED, 0)) sediment_handle_leave_ended(slot);
}

// Begins a use of the handle: the result is its slot if it is an open one of the kind, else null.
static inline struct sediment_slot *sediment_handle_enter(const void *pointer, uint32_t kind) {
  const uintptr_t handle = (uintptr_t)pointer;
  if (sediment_handle_kind(handle) != kind) return NULL;
  struct sediment_slot *slot = sediment_slot_at(sediment_handle_place(handle));
  if (slot == NULL) return NULL;
  const uint64_t word = __atomic_fetch_add(&slot->word, 1, __ATOMIC_ACQUIRE);
  if (__builtin_expect(word >> SEDIMENT_USE_BITS == (uint64_t)(handle >> SEDIMENT_PLACE_BITS), 1)) return slot;
  sediment_handle_leave(slot);
  return NULL;
}

// Makes a handle for an object; null if there are no more, or no memory for them.
void *sediment_handle_make(uint32_t kind, void *object);

// Closes a handle that the caller uses, so that it is good for nobody any more; false if somebody else has closed it.
bool sediment_handle_end(struct sediment_slot *slot, const void *handle);

// What a handle that is not good is.
enum sediment_handle_fault {
  SEDIMENT_HANDLE_NULL,
  SEDIMENT_HANDLE_OF_OTHER_KIND,
  SEDIMENT_HANDLE_CLOSED,
  SEDIMENT_HANDLE_INVENTED,
};
enum sediment_handle_fault sediment_handle_fault_of(const void *handle, uint32_t kind, uint32_t kind_count);

#endif
