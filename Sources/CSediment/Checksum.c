#include "CSedimentChecksum.h"
#include "CSedimentWords.h"

#include <stdatomic.h>
#include <string.h>

// The remainders of four bits, for processors without an instruction.
static const uint32_t nibble_table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t sediment_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint32_t state = ~crc;
  for (; count > 0; count--) {
    state ^= *next++;
    state = nibble_table[state & 15] ^ (state >> 4);
    state = nibble_table[state & 15] ^ (state >> 4);
  }
  return ~state;
}

// An integer as the file has it, lowest byte first.
static void put(uint32_t value, uint8_t *bytes) {
  for (int place = 0; place < 4; place++) bytes[place] = (uint8_t)(value >> 8 * place);
}

static uint32_t integer_portable(uint32_t crc, uint32_t integer) {
  uint8_t bytes[4];
  put(integer, bytes);
  return sediment_crc32c_portable(crc, bytes, 4);
}

static uint32_t record_portable(uint32_t seed, uint32_t position, const void *record, size_t count) {
  return sediment_crc32c_portable(integer_portable(seed, position), (const uint8_t *)record + 4, count - 4);
}

// One after the other: for processors without an instruction, and for records that three chains are quicker for.
__attribute__((noinline)) static void seal_and_store(
    void *shared, uint32_t seed, uint32_t position, void *record, size_t count) {
  put(sediment_crc32c_record(seed, position, record, count), record);
  sediment_store_words(shared, record, count);
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#define ONE_CHAIN __attribute__((target("sse4.2,crc32")))
#define THREE_CHAINS __attribute__((target("sse4.2,crc32,pclmul")))
#define STEP8(state, word) (uint32_t) _mm_crc32_u64((state), (word))
#define STEP4(state, word) _mm_crc32_u32((state), (word))
#define STEP1(state, byte) _mm_crc32_u8((state), (byte))

static int find_way(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_2)) return 0;
  return (c & bit_PCLMUL) ? 2 : 1;
}

// The state times a power of x, modulo the polynomial: a product without carries, reduced by the instruction.
THREE_CHAINS static inline uint32_t shift(uint32_t state, uint32_t power) {
  __m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)state), _mm_cvtsi32_si128((int)power), 0);
  return STEP8(0, (uint64_t)_mm_cvtsi128_si64(product));
}
#define HAS_INSTRUCTIONS 1

#elif defined(__aarch64__)
#include <arm_acle.h>
#include <arm_neon.h>
#if defined(__clang__)
#define ONE_CHAIN __attribute__((target("crc")))
#define THREE_CHAINS __attribute__((target("crc,aes")))
#else
#define ONE_CHAIN __attribute__((target("+crc")))
#define THREE_CHAINS __attribute__((target("+crc+crypto")))
#endif
#define STEP8(state, word) __crc32cd((state), (word))
#define STEP4(state, word) __crc32cw((state), (word))
#define STEP1(state, byte) __crc32cb((state), (byte))

#if defined(__APPLE__)
// Every 64-bit Apple processor that the package's platforms run on has both.
static int find_way(void) { return 2; }
#elif defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
static int find_way(void) {
  unsigned long features = getauxval(AT_HWCAP);
  if (!(features & HWCAP_CRC32)) return 0;
  return (features & HWCAP_PMULL) ? 2 : 1;
}
#else
static int find_way(void) { return 0; }
#endif

THREE_CHAINS static inline uint32_t shift(uint32_t state, uint32_t power) {
  return STEP8(0, (uint64_t)vmull_p64(state, power));
}
#define HAS_INSTRUCTIONS 1
#endif

#if HAS_INSTRUCTIONS
// 0 before it is known; found anew by every thread that comes early, with the same result.
static _Atomic int way_plus_one;
// Up to how many bytes of a record are taken in by one chain: none before the way is known.
static _Atomic size_t one_chain_count_max;

int sediment_crc32c_way(void) {
  int known = atomic_load_explicit(&way_plus_one, memory_order_relaxed);
  if (known == 0) {
    int way = find_way();
    known = way + 1;
    // Longer records are quicker by three chains.
    size_t count_max = way == 0 ? 0 : way == 1 ? SIZE_MAX : 3 * 128;
    atomic_store_explicit(&one_chain_count_max, count_max, memory_order_relaxed);
    atomic_store_explicit(&way_plus_one, known, memory_order_relaxed);
  }
  return known - 1;
}

static inline int takes_one_chain(size_t count) {
  return count <= atomic_load_explicit(&one_chain_count_max, memory_order_relaxed);
}

static inline uint64_t word_at(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static inline uint32_t half_word_at(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

ONE_CHAIN static uint32_t one_chain(uint32_t state, const uint8_t *next, size_t count) {
  for (; count >= 8; next += 8, count -= 8) state = STEP8(state, word_at(next));
  if (count >= 4) {
    state = STEP4(state, half_word_at(next));
    next += 4;
    count -= 4;
  }
  for (; count > 0; next++, count--) state = STEP1(state, *next);
  return state;
}

// Three neighbouring blocks at a time, each in a chain of its own, because the instruction takes three cycles
// but one can begin each cycle. `once` and `twice` are x to the bits of one and two blocks, less the 33 that
// the reduction adds. Takes whole triples of blocks and moves `next` and `count` past them.
THREE_CHAINS static inline uint32_t triples(
    uint32_t state, const uint8_t **next, size_t *count, size_t block, uint32_t once, uint32_t twice) {
  for (; *count >= 3 * block; *next += 3 * block, *count -= 3 * block) {
    const uint8_t *bytes = *next;
    uint32_t second = 0, third = 0;
    for (size_t i = 0; i < block; i += 8) {
      state = STEP8(state, word_at(bytes + i));
      second = STEP8(second, word_at(bytes + block + i));
      third = STEP8(third, word_at(bytes + 2 * block + i));
    }
    state = shift(state, twice) ^ shift(second, once) ^ third;
  }
  return state;
}

THREE_CHAINS static uint32_t three_chains(uint32_t state, const uint8_t *next, size_t count) {
  state = triples(state, &next, &count, 1024, 0x170076fa, 0xa51b6135);
  state = triples(state, &next, &count, 128, 0x0d3b6092, 0xb9e02b86);
  return one_chain(state, next, count);
}

uint32_t sediment_crc32c(uint32_t crc, const void *bytes, size_t count) {
  int way = sediment_crc32c_way();
  if (way == 2 && count >= 3 * 128) return ~three_chains(~crc, bytes, count);
  if (way != 0) return ~one_chain(~crc, bytes, count);
  return sediment_crc32c_portable(crc, bytes, count);
}

ONE_CHAIN static uint32_t integer_one_chain(uint32_t crc, uint32_t integer) { return ~STEP4(~crc, integer); }

uint32_t sediment_crc32c_integer(uint32_t crc, uint32_t integer) {
  return sediment_crc32c_way() != 0 ? integer_one_chain(crc, integer) : integer_portable(crc, integer);
}

// The first word is the record's position and its bytes 4 to 7.
static inline uint64_t first_word(uint32_t position, const uint8_t *record) {
  uint32_t shape;
  memcpy(&shape, record + 4, sizeof shape);
  return position | (uint64_t)shape << 32;
}

// Does `STEP(16)` to `STEP(1)`, or as many of the last ones as there are, by a jump: most records are so short that
// counting words would take as long as taking them in. `STEP(n)` is for the word n words before `end`.
#define LAST_STEPS(count) \
  switch (count) { \
    case 16: STEP(16); __attribute__((fallthrough)); \
    case 15: STEP(15); __attribute__((fallthrough)); \
    case 14: STEP(14); __attribute__((fallthrough)); \
    case 13: STEP(13); __attribute__((fallthrough)); \
    case 12: STEP(12); __attribute__((fallthrough)); \
    case 11: STEP(11); __attribute__((fallthrough)); \
    case 10: STEP(10); __attribute__((fallthrough)); \
    case 9: STEP(9); __attribute__((fallthrough)); \
    case 8: STEP(8); __attribute__((fallthrough)); \
    case 7: STEP(7); __attribute__((fallthrough)); \
    case 6: STEP(6); __attribute__((fallthrough)); \
    case 5: STEP(5); __attribute__((fallthrough)); \
    case 4: STEP(4); __attribute__((fallthrough)); \
    case 3: STEP(3); __attribute__((fallthrough)); \
    case 2: STEP(2); __attribute__((fallthrough)); \
    case 1: STEP(1); \
  }

ONE_CHAIN static uint32_t record_one_chain(uint32_t seed, uint32_t position, const uint8_t *record, size_t count) {
  size_t words = count / 8 - 1, part = (words - 1) % 16 + 1;
  const uint8_t *end = record + 8 + 8 * part;
  uint64_t state = STEP8(~seed, first_word(position, record));
#define STEP(n) state = STEP8((uint32_t)state, word_at(end - 8 * n))
  LAST_STEPS(part)
  for (words -= part; words > 0; words -= 16) {
    end += 8 * 16;
    LAST_STEPS(16)
  }
#undef STEP
  return ~(uint32_t)state;
}

THREE_CHAINS static uint32_t record_three_chains(
    uint32_t seed, uint32_t position, const uint8_t *record, size_t count) {
  return ~three_chains(STEP8(~seed, first_word(position, record)), record + 8, count - 8);
}

__attribute__((noinline)) static uint32_t record_otherwise(
    uint32_t seed, uint32_t position, const void *record, size_t count) {
  switch (sediment_crc32c_way()) {
    case 2: return record_three_chains(seed, position, record, count);
    case 1: return record_one_chain(seed, position, record, count);
    default: return record_portable(seed, position, record, count);
  }
}

uint32_t sediment_crc32c_record(uint32_t seed, uint32_t position, const void *record, size_t count) {
  // Calls with the same arguments, so that nothing is left to be done around them.
  if (takes_one_chain(count)) return record_one_chain(seed, position, record, count);
  return record_otherwise(seed, position, record, count);
}

// Takes in each word and stores it at once, the first one last.
ONE_CHAIN static void store_one_chain(
    uint8_t *shared, uint32_t seed, uint32_t position, uint8_t *record, size_t count) {
  size_t words = count / 8 - 1, part = (words - 1) % 16 + 1;
  const uint8_t *end = record + 8 + 8 * part;
  uint8_t *target = shared + 8 + 8 * part;
  uint64_t first = first_word(position, record), state = STEP8(~seed, first), word;
#define STEP(n) \
  word = word_at(end - 8 * n); \
  __atomic_store_n((uint64_t *)(target - 8 * n), word, __ATOMIC_RELAXED); \
  state = STEP8((uint32_t)state, word)
  LAST_STEPS(part)
  for (words -= part; words > 0; words -= 16) {
    end += 8 * 16;
    target += 8 * 16;
    LAST_STEPS(16)
  }
#undef STEP
  uint64_t sealed = (first & ~(uint64_t)UINT32_MAX) | (uint32_t)~state;
  memcpy(record, &sealed, sizeof sealed);
  __atomic_store_n((uint64_t *)shared, sealed, __ATOMIC_RELAXED);
}

void sediment_store_record(void *shared, uint32_t seed, uint32_t position, void *record, size_t count) {
  if (takes_one_chain(count)) {
    store_one_chain(shared, seed, position, record, count);
  } else {
    seal_and_store(shared, seed, position, record, count);
  }
}

#else

int sediment_crc32c_way(void) { return 0; }

uint32_t sediment_crc32c_integer(uint32_t crc, uint32_t integer) { return integer_portable(crc, integer); }

uint32_t sediment_crc32c_record(uint32_t seed, uint32_t position, const void *record, size_t count) {
  return record_portable(seed, position, record, count);
}

void sediment_store_record(void *shared, uint32_t seed, uint32_t position, void *record, size_t count) {
  seal_and_store(shared, seed, position, record, count);
}

uint32_t sediment_crc32c(uint32_t crc, const void *bytes, size_t count) {
  return sediment_crc32c_portable(crc, bytes, count);
}

#endif
