#ifndef CSEDIMENT_WORDS_H
#define CSEDIMENT_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void sediment_store_word(void *shared, const void *source) {
  uint64_t word;
  memcpy(&word, source, 8);
  __atomic_store_n((uint64_t *)shared, word, __ATOMIC_RELAXED);
}

static inline void sediment_store_four_words(uint8_t *shared, const uint8_t *source) {
  sediment_store_word(shared, source);
  sediment_store_word(shared + 8, source + 8);
  sediment_store_word(shared + 16, source + 16);
  sediment_store_word(shared + 24, source + 24);
}

// Copies to memory that other threads may copy from meanwhile, which they then find out, and throw away what they have.
//
// Each word of 8 bytes is stored as a whole, in no order, if `shared` begins at a multiple of 8; else each byte.
static inline void sediment_store_words(void *shared, const void *source, size_t count) {
  uint8_t *target = shared;
  const uint8_t *bytes = source;
  // The last four words first, then groups of four up to these: most groups need no look at what is left.
  if ((uintptr_t)shared % 8 == 0 && count % 8 == 0 && count >= 32) {
    const uint8_t *last = bytes + count - 32;
    sediment_store_four_words(target + count - 32, last);
    for (; bytes < last; bytes += 32, target += 32) sediment_store_four_words(target, bytes);
    return;
  }
  size_t whole = (uintptr_t)shared % 8 == 0 ? count : 0;
  size_t place = 0;
  for (; place + 8 <= whole; place += 8) sediment_store_word(target + place, bytes + place);
  for (; place < count; place++) __atomic_store_n(target + place, bytes[place], __ATOMIC_RELAXED);
}

// Copies from memory that another thread may be storing to.
//
// `shared` begins at a multiple of 8.
static inline void sediment_load_words(void *target, const void *shared, size_t count) {
  const uint64_t *words = shared;
  uint8_t *bytes = target;
  size_t place = 0;
  for (; place + 8 <= count; place += 8) {
    uint64_t word = __atomic_load_n(words + place / 8, __ATOMIC_RELAXED);
    memcpy(bytes + place, &word, 8);
  }
  for (; place < count; place++) bytes[place] = __atomic_load_n((const uint8_t *)shared + place, __ATOMIC_RELAXED);
}

// Orders what was loaded before, also by relaxed loads, before what is loaded or stored after.
static inline void sediment_acquire_fence(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

// Orders what was loaded or stored before what is stored after, also by relaxed stores.
static inline void sediment_release_fence(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

#endif
