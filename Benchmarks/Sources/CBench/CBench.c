#if defined(__linux__)
#define _GNU_SOURCE // for fallocate and processor sets
#endif

#include "CBench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CHECKSUM_TARGET __attribute__((target("sse4.2")))
#define CHECKSUM_STEP(sum, word) _mm_crc32_u64(sum, word)
#elif defined(__aarch64__)
#include <arm_acle.h>
#define CHECKSUM_TARGET __attribute__((target("crc")))
#define CHECKSUM_STEP(sum, word) __crc32cd((uint32_t)(sum), word)
#endif

#if defined(CHECKSUM_TARGET)
CHECKSUM_TARGET uint64_t bench_checksum(const void *bytes, size_t byte_count) {
  size_t third = byte_count / 24;
  const uint64_t *first = bytes, *second = first + third, *last = second + third;
  uint64_t sums[3] = {0, 0, 0};
  for (size_t word = 0; word < third; word++) {
    sums[0] = CHECKSUM_STEP(sums[0], first[word]);
    sums[1] = CHECKSUM_STEP(sums[1], second[word]);
    sums[2] = CHECKSUM_STEP(sums[2], last[word]);
  }
  return sums[0] ^ sums[1] ^ sums[2];
}
#else
uint64_t bench_checksum(const void *bytes, size_t byte_count) {
  (void)bytes;
  (void)byte_count;
  return 0;
}
#endif

__extension__ typedef unsigned __int128 product_t;

static inline uint64_t folded_product(uint64_t one, uint64_t other) {
  product_t product = (product_t)one * other;
  return (uint64_t)(product >> 64) ^ (uint64_t)product ^ one ^ other;
}

// Under some seed, which takes as long as any other.
static inline uint64_t key_hash(const uint64_t key[2]) {
  const uint64_t low = 0x9e3779b97f4a7c15, high = 0xd1b54a32d192ed03;
  return folded_product(folded_product(key[0] ^ low, key[1] ^ high), 16 ^ high);
}

enum { group_count = 32 };

void bench_index_records(
    const void *records, size_t record_count, size_t record_byte_count, uint64_t *entries, size_t mask, uint64_t place) {
  const char *record = records;
  uint64_t hashes[group_count], sum = 0;
  for (size_t first = 0; first < record_count; first += group_count) {
    size_t count = record_count - first < group_count ? record_count - first : group_count;
    for (size_t number = 0; number < count; number++, record += record_byte_count) {
      uint64_t key[2];
      memcpy(key, record + 16, sizeof key);
      key[0] ^= place + first + number;
      sum ^= bench_checksum(record, record_byte_count / 24 * 24);
      hashes[number] = key_hash(key);
      __builtin_prefetch(entries + (hashes[number] & mask), 1, 3);
    }
    for (size_t number = 0; number < count; number++) {
      size_t entry = hashes[number] & mask;
      while (entries[entry] != 0) entry = (entry + 1) & mask;
      entries[entry] = place + first + number;
    }
  }
  bench_consume(sum);
}

int bench_preallocate(int descriptor, int64_t byte_count) {
#if defined(__APPLE__)
  fstore_t request = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, byte_count, 0};
  if (fcntl(descriptor, F_PREALLOCATE, &request) != 0) return errno;
  return ftruncate(descriptor, byte_count) == 0 ? 0 : errno;
#else
  return fallocate(descriptor, 0, 0, byte_count) == 0 ? 0 : errno;
#endif
}

int bench_sync_data(int descriptor) {
#if defined(__APPLE__)
  return fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : errno;
#else
  return fdatasync(descriptor) == 0 ? 0 : errno;
#endif
}

int bench_sync_file_system(int descriptor) {
#if defined(__linux__)
  return syncfs(descriptor) == 0 ? 0 : errno;
#else
  (void)descriptor;
  sync();
  return 0;
#endif
}

#if defined(__linux__)
static cpu_set_t all_processors;
static pthread_once_t all_processors_once = PTHREAD_ONCE_INIT;

static void keep_all_processors(void) {
  CPU_ZERO(&all_processors);
  sched_getaffinity(0, sizeof all_processors, &all_processors);
}

int bench_bind_thread(int thread, int processor_count) {
  pthread_once(&all_processors_once, keep_all_processors);
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  int left = processor_count > 0 ? processor_count : CPU_SETSIZE;
  for (int processor = 0; processor < CPU_SETSIZE && left > 0; processor++) {
    if (!CPU_ISSET(processor, &all_processors)) continue;
    CPU_SET(processor, &chosen);
    left--;
  }
  return sched_setaffinity(thread, sizeof chosen, &chosen) == 0 ? 0 : errno;
}

int bench_processor_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}
#else
int bench_bind_thread(int thread, int processor_count) {
  (void)thread;
  (void)processor_count;
  return ENOTSUP;
}

int bench_processor_count(void) {
  return 0;
}
#endif

int bench_populate(void *address, size_t byte_count) {
#if defined(__linux__)
  const int populate_write = 23; // MADV_POPULATE_WRITE, since Linux 5.14; older headers lack the name.
  return madvise(address, byte_count, populate_write) == 0 ? 0 : errno;
#else
  (void)address;
  (void)byte_count;
  return EINVAL;
#endif
}
