// Words: copies from and to shared memory, comparisons of short bytes, and the search of a bucket.
#include "CSedimentBucket.h"
#include "CSedimentMemory.h"
#include "CSedimentWords.h"
#include "program.h"

enum { BYTES = 512 };

static void copies(uint64_t *random, uint64_t *digest) {
  static uint64_t shared[BYTES / 8 + 8];
  static uint8_t source[BYTES + 64], loaded[BYTES + 64], before[BYTES + 64];
  for (size_t count = 0; count <= BYTES; count++) {
    for (size_t offset = 0; offset < 8; offset++) {
      for (size_t place = 0; place < sizeof source; place++) source[place] = (uint8_t)next_random(random);
      memset(shared, 0xA5, sizeof shared);
      memset(loaded, 0x5A, sizeof loaded);
      // To any address: by words where it is a multiple of 8, else by bytes.
      uint8_t *target = (uint8_t *)shared + offset;
      sediment_store_words(target, source + offset, count);
      CHECK(memcmp(target, source + offset, count) == 0);
      for (size_t place = 0; place < offset; place++) CHECK(((uint8_t *)shared)[place] == 0xA5);
      for (size_t place = offset + count; place < sizeof shared; place++) CHECK(((uint8_t *)shared)[place] == 0xA5);
      sediment_load_words(loaded + offset, shared, count);
      CHECK(memcmp(loaded + offset, shared, count) == 0);
      CHECK(loaded[offset + count] == 0x5A);
      memcpy(before, loaded, sizeof before);
      sediment_copy_short(before + offset, source, count);
      CHECK(memcmp(before + offset, source, count) == 0 && before[offset + count] == 0x5A);
      for (size_t place = 0; place < count; place += 37) add(digest, before[offset + place]);
    }
  }
}

static void comparisons(uint64_t *random, uint64_t *digest) {
  uint8_t one[80], other[80];
  for (size_t count = 0; count <= 72; count++) {
    for (size_t place = 0; place < sizeof one; place++) one[place] = (uint8_t)next_random(random);
    memcpy(other, one, sizeof one);
    CHECK(sediment_bytes_equal(one, other, count));
    for (size_t place = 0; place < sizeof one; place++) {
      other[place] ^= (uint8_t)(1 << next_random(random) % 8);
      int is_equal = sediment_bytes_equal(one, other, count);
      CHECK(is_equal == (place >= count));
      add(digest, (uint64_t)is_equal);
      other[place] = one[place];
    }
  }
}

static void buckets(uint64_t *random, uint64_t *digest) {
  const uint64_t mask = ((UINT64_C(1) << 25) - 1) << 38;
  for (int round = 0; round < 20000; round++) {
    uint64_t bucket[8] __attribute__((aligned(64)));
    uint64_t bits = next_random(random) & mask;
    uint32_t expected = 0;
    for (int number = 0; number < 8; number++) {
      bucket[number] = next_random(random);
      if (next_random(random) % 3 == 0) bucket[number] = (bucket[number] & ~mask) | bits;
      // Nearly the same: one bit of those that are compared differs.
      else if (next_random(random) % 3 == 0) {
        bucket[number] = ((bucket[number] & ~mask) | bits) ^ UINT64_C(1) << (38 + next_random(random) % 25);
      }
      expected |= (uint32_t)((bucket[number] & mask) == bits) << number;
    }
    uint32_t found = sediment_agreeing_words(bucket, bits);
    CHECK(found == expected);
    add(digest, found);
  }
}

int main(void) {
  uint64_t random = 2, digest = 0;
  copies(&random, &digest);
  comparisons(&random, &digest);
  buckets(&random, &digest);
  print_digest("words", digest);
  return 0;
}
