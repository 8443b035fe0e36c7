#ifndef CSEDIMENT_MEMORY_H
#define CSEDIMENT_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Whether two runs of bytes are the same.
static inline int sediment_bytes_equal(const void *left, const void *right, size_t count) {
  return memcmp(left, right, count) == 0;
}

// Lets other threads have the processor for a moment.
void sediment_yield(void);

// The number of this process.
uint64_t sediment_process_number(void);

#endif
