#if defined(__linux__)
#define _GNU_SOURCE // for fallocate
#endif

#include "CBench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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
