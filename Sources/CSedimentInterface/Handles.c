#include "CSedimentHandles.h"

#include <stdlib.h>

struct sediment_slot *sediment_slot_pieces[SEDIMENT_PIECES];

// How many slots were ever taken for the first time.
static uint32_t taken_count = 0;
// The free slots, a stack: in the low half the place of the first and one more, above it a number that each change
// raises, so that a slot which was taken and came back meanwhile is told from one that stayed.
static uint64_t free_slots = 0;

static const uint64_t generations = (UINT64_C(1) << SEDIMENT_GENERATION_BITS) - 1;

static uint64_t generation_of(uint64_t word) { return word >> SEDIMENT_USE_BITS & generations; }

static void give_back(struct sediment_slot *slot) {
  uint64_t first = __atomic_load_n(&free_slots, __ATOMIC_RELAXED), changed;
  do {
    __atomic_store_n(&slot->next, (uint32_t)first, __ATOMIC_RELAXED);
    changed = ((first >> 32) + 1) << 32 | (slot->place + 1);
  } while (!__atomic_compare_exchange_n(&free_slots, &first, changed, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static struct sediment_slot *take_free(void) {
  uint64_t first = __atomic_load_n(&free_slots, __ATOMIC_ACQUIRE);
  while ((uint32_t)first != 0) {
    struct sediment_slot *slot = sediment_slot_at((uint32_t)first - 1);
    uint64_t changed = ((first >> 32) + 1) << 32 | __atomic_load_n(&slot->next, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(&free_slots, &first, changed, 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) return slot;
  }
  return NULL;
}

// Sees to it that the piece is there that has a place; false if there is no memory.
static bool make_piece_of(uint32_t place) {
  struct sediment_slot **piece = &sediment_slot_pieces[place >> SEDIMENT_PIECE_BITS], *none = NULL;
  if (__atomic_load_n(piece, __ATOMIC_ACQUIRE) != NULL) return true;
  const size_t size = SEDIMENT_PIECE_SLOTS * sizeof(struct sediment_slot);
  struct sediment_slot *slots = aligned_alloc(_Alignof(struct sediment_slot), size);
  if (slots == NULL) return false;
  for (uint32_t number = 0; number < SEDIMENT_PIECE_SLOTS; number++) {
    slots[number] = (struct sediment_slot){.place = (place & ~(uint32_t)(SEDIMENT_PIECE_SLOTS - 1)) + number};
  }
  if (!__atomic_compare_exchange_n(piece, &none, slots, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) free(slots);
  return true;
}

static struct sediment_slot *take_new(void) {
  uint32_t place = __atomic_load_n(&taken_count, __ATOMIC_RELAXED);
  do {
    if (place >> SEDIMENT_PLACE_BITS != 0 || !make_piece_of(place)) return NULL;
  } while (!__atomic_compare_exchange_n(&taken_count, &place, place + 1, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return sediment_slot_at(place);
}

void *sediment_handle_make(uint32_t kind, void *object) {
  struct sediment_slot *slot = take_free();
  if (slot == NULL) slot = take_new();
  if (slot == NULL) return NULL;
  slot->object = object;
  const uint64_t kind_bits = (uint64_t)kind << (SEDIMENT_GENERATION_BITS + SEDIMENT_USE_BITS);
  // Calls with bad handles may add and take away uses meanwhile.
  const uint64_t word = __atomic_or_fetch(&slot->word, kind_bits, __ATOMIC_RELEASE);
  return (void *)((uintptr_t)(word >> SEDIMENT_USE_BITS) << SEDIMENT_PLACE_BITS | slot->place);
}

bool sediment_handle_end(struct sediment_slot *slot, const void *pointer) {
  const uintptr_t handle = (uintptr_t)pointer;
  uint64_t word = __atomic_load_n(&slot->word, __ATOMIC_RELAXED), ended;
  do {
    if (word >> SEDIMENT_USE_BITS != (uint64_t)(handle >> SEDIMENT_PLACE_BITS)) return false;
    const uint64_t generation = (generation_of(word) + 1) & generations;
    ended = generation << SEDIMENT_USE_BITS | SEDIMENT_HANDLE_ENDED | (word & SEDIMENT_HANDLE_USES);
  } while (!__atomic_compare_exchange_n(&slot->word, &word, ended, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return true;
}

void sediment_handle_leave_ended(struct sediment_slot *slot) {
  uint64_t word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
  // A call with a bad handle may use the slot for a moment, and then it is the one that comes here last.
  do {
    if ((word & SEDIMENT_HANDLE_ENDED) == 0 || (word & SEDIMENT_HANDLE_USES) != 0) return;
  } while (!__atomic_compare_exchange_n(
      &slot->word, &word, word & ~SEDIMENT_HANDLE_ENDED, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  void *object = slot->object;
  slot->object = NULL;
  give_back(slot);
  sediment_handle_release(object);
}

enum sediment_handle_fault sediment_handle_fault_of(const void *pointer, uint32_t kind, uint32_t kind_count) {
  const uintptr_t handle = (uintptr_t)pointer;
  if (handle == 0) return SEDIMENT_HANDLE_NULL;
  const uint32_t found = sediment_handle_kind(handle);
  const uint32_t place = (uint32_t)sediment_handle_place(handle);
  if (found == 0 || found > kind_count || place >= __atomic_load_n(&taken_count, __ATOMIC_ACQUIRE)) {
    return SEDIMENT_HANDLE_INVENTED;
  }
  const struct sediment_slot *slot = sediment_slot_at(place);
  const uint64_t word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
  const uint64_t generation = handle >> SEDIMENT_PLACE_BITS & generations;
  if (word >> SEDIMENT_USE_BITS == (uint64_t)(handle >> SEDIMENT_PLACE_BITS)) {
    return found == kind ? SEDIMENT_HANDLE_INVENTED : SEDIMENT_HANDLE_OF_OTHER_KIND;
  }
  // Generations may have begun again, so that what is less is earlier only as far as one can tell.
  if (generation < generation_of(word)) {
    return found == kind ? SEDIMENT_HANDLE_CLOSED : SEDIMENT_HANDLE_OF_OTHER_KIND;
  }
  return SEDIMENT_HANDLE_INVENTED;
}
