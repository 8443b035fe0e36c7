#ifndef CSEDIMENT_MEMORY_H
#define CSEDIMENT_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Whether two runs of bytes are the same, of which there may be none at no address; most are keys of 8 to 32 bytes, for
// which a call takes longer.
//
// Both ends are compared, which overlap. With a constant length `memcmp` is no call.
__attribute__((always_inline)) static inline int sediment_bytes_equal(const void *left, const void *right, size_t count) {
  const uint8_t *one = left, *other = right;
  if (count - 16 <= 16) {
    return (int)(memcmp(one, other, 16) == 0) & (int)(memcmp(one + count - 16, other + count - 16, 16) == 0);
  }
  if (count - 8 <= 8) {
    return (int)(memcmp(one, other, 8) == 0) & (int)(memcmp(one + count - 8, other + count - 8, 8) == 0);
  }
  return count == 0 || memcmp(left, right, count) == 0;
}

// Copies bytes, of which there may be none at no address.
static inline void sediment_copy(void *target, const void *source, size_t count) {
  if (count > 0) memcpy(target, source, count);
}

// The same for a key; most have 8 to 32 bytes, for which a call takes longer.
__attribute__((always_inline)) static inline void sediment_copy_short(void *target, const void *source, size_t count) {
  uint8_t *to = target;
  const uint8_t *from = source;
  if (count - 16 <= 16) {
    memcpy(to, from, 16);
    memcpy(to + count - 16, from + count - 16, 16);
  } else if (count - 8 <= 8) {
    memcpy(to, from, 8);
    memcpy(to + count - 8, from + count - 8, 8);
  } else {
    sediment_copy(target, source, count);
  }
}

// Lets other threads have the processor for a moment.
void sediment_yield(void);

// The number of this process.
uint64_t sediment_process_number(void);

#endif
