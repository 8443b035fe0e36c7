#ifndef CSEDIMENT_MEMORY_H
#define CSEDIMENT_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t sediment_bytes_differing(const uint8_t *left, const uint8_t *right) {
  uint64_t first, second;
  memcpy(&first, left, sizeof first);
  memcpy(&second, right, sizeof second);
  return first ^ second;
}

// Whether two runs of bytes are the same; most are keys of 8 to 32 bytes, for which a call takes longer.
__attribute__((always_inline)) static inline int sediment_bytes_equal(const void *left, const void *right, size_t count) {
  if (count < 8 || count > 32) return memcmp(left, right, count) == 0;
  const uint8_t *one = left, *other = right;
  uint64_t differing = sediment_bytes_differing(one, other) |
                       sediment_bytes_differing(one + count - 8, other + count - 8);
  if (count > 16) {
    differing |= sediment_bytes_differing(one + 8, other + 8) |
                 sediment_bytes_differing(one + count - 16, other + count - 16);
  }
  return differing == 0;
}

// Lets other threads have the processor for a moment.
void sediment_yield(void);

// The number of this process.
uint64_t sediment_process_number(void);

#endif
