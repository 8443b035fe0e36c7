#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// What the programs share: each prints lines that must be the same on every processor, and fails at the first surprise.

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while (0)

// The next number of a sequence that a seed begins.
static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

// Adds a result to the digest of all results so far.
static inline void add(uint64_t *digest, uint64_t result) {
  *digest = (*digest ^ result) * UINT64_C(0x100000001B3);
  *digest ^= *digest >> 29;
}

static inline void print_digest(const char *name, uint64_t digest) {
  printf("%s %016llx\n", name, (unsigned long long)digest);
}

#endif
