// Checksums: known ones, and those of random bytes at all alignments and lengths, by the instructions and by tables.
#include "CSedimentChecksum.h"
#include "program.h"

#include <string.h>

enum { BYTES = 20000 };

static uint8_t bytes[BYTES + 64];

static void known(void) {
  CHECK(sediment_crc32c(0, "", 0) == 0);
  CHECK(sediment_crc32c(0, "123456789", 9) == 0xE3069283);
  CHECK(sediment_crc32c_portable(0, "123456789", 9) == 0xE3069283);
  // RFC 3720, B.4.
  uint8_t block[32];
  memset(block, 0, sizeof block);
  CHECK(sediment_crc32c(0, block, 32) == 0x8A9136AA);
  memset(block, 0xFF, sizeof block);
  CHECK(sediment_crc32c(0, block, 32) == 0x62A8AB43);
  for (int place = 0; place < 32; place++) block[place] = (uint8_t)place;
  CHECK(sediment_crc32c(0, block, 32) == 0x46DD794E);
}

// The checksum of a record in its plain meaning: of the position, then the record from its byte 4 on.
static uint32_t plain_record(uint32_t seed, uint32_t position, const uint8_t *record, size_t count) {
  uint8_t integer[4] = {
      (uint8_t)position, (uint8_t)(position >> 8), (uint8_t)(position >> 16), (uint8_t)(position >> 24)};
  uint32_t state = sediment_crc32c_portable(seed, integer, 4);
  CHECK(sediment_crc32c_integer(seed, position) == state);
  return sediment_crc32c_portable(state, record + 4, count - 4);
}

static void records(uint64_t *random, uint64_t *digest) {
  static uint64_t shared[BYTES / 8], laid[BYTES / 8];
  for (size_t count = 16; count <= 4096; count += 8) {
    uint32_t seed = (uint32_t)next_random(random), position = (uint32_t)next_random(random);
    uint8_t *record = bytes + next_random(random) % 8 * 8;
    uint32_t expected = plain_record(seed, position, record, count);
    CHECK(sediment_crc32c_record(seed, position, record, count) == expected);
    memcpy(laid, record, count);
    sediment_store_record(shared, seed, position, laid, count);
    CHECK(memcmp(shared, laid, count) == 0);
    CHECK(memcmp((uint8_t *)laid + 4, record + 4, count - 4) == 0);
    uint32_t stored;
    memcpy(&stored, laid, 4);
    CHECK(stored == expected);
    add(digest, expected);
  }
}

int main(void) {
  uint64_t random = 1, digest = 0;
  known();
  for (size_t place = 0; place < sizeof bytes; place++) bytes[place] = (uint8_t)next_random(&random);
  for (size_t count = 0; count <= BYTES; count += count < 1200 ? 1 : 97) {
    size_t offset = count % 16;
    uint32_t before = (uint32_t)next_random(&random);
    uint32_t sum = sediment_crc32c(before, bytes + offset, count);
    CHECK(sum == sediment_crc32c_portable(before, bytes + offset, count));
    // Checksums go on over parts.
    size_t half = count == 0 ? 0 : next_random(&random) % count;
    CHECK(sum == sediment_crc32c(sediment_crc32c(before, bytes + offset, half), bytes + offset + half, count - half));
    add(&digest, sum);
  }
  records(&random, &digest);
  print_digest("checksums", digest);
  return 0;
}
