// What a bare measuring loop needs and Swift cannot say.
#ifndef SEDIMENT_BENCHMARKS_CBENCH_H
#define SEDIMENT_BENCHMARKS_CBENCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/// Nanoseconds of a clock that only moves forward; differences are what counts.
static inline uint64_t bench_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Nanoseconds that the calling thread has had a processor for: what other threads take is not among them.
static inline uint64_t bench_thread_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Nanoseconds that all threads of the process have had processors for.
static inline uint64_t bench_process_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Begins a value with a word, and makes it another one throughout: where all values were alike, a dictionary would
/// compress them. It has at least 8 bytes.
static inline void bench_mark(void *value, size_t byte_count, uint64_t first) {
  uint64_t word, change;
  memcpy(&change, value, sizeof change);
  change ^= first;
  for (size_t place = 0; place + sizeof word <= byte_count; place += sizeof word) {
    memcpy(&word, (char *)value + place, sizeof word);
    word ^= change;
    memcpy((char *)value + place, &word, sizeof word);
  }
}

/// Asks the processor to fetch the cache line of `address` and does not wait for it.
static inline void bench_prefetch(const void *address) {
  __builtin_prefetch(address, 0, 3);
}

/// Makes the compiler believe that `value` is used and that all memory may have been read and written.
/// It emits no instruction.
static inline void bench_consume(uint64_t value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}

/// What checksumming so many bytes, a multiple of 24, costs at least: three chains of the processor's CRC32C
/// instruction over a third each, which are not put together as a real checksum would have to. 0 where there is none.
uint64_t bench_checksum(const void *bytes, size_t byte_count);

/// What finding records again costs at least: each is checksummed, a hash of 16 bytes taken by two folded products,
/// and its place stored in the first free entry from there on. What is hashed are the record's bytes
/// from the 16th on and its place, since not all bytes of a file are records, and no two hashes should be the same.
/// Entries are fetched for 32 records at a time. `mask` is one less than the number of entries, a power of two of
/// which a good part has to be free; `place` is that of the first record, not 0.
void bench_index_records(
    const void *records, size_t record_count, size_t record_byte_count, uint64_t *entries, size_t mask, uint64_t place);

/// Makes the file `byte_count` bytes long with blocks reserved for all of them. Returns 0 or an errno: EOPNOTSUPP
/// where the file system cannot (posix_fallocate would write to every block instead, which is another thing).
int bench_preallocate(int descriptor, int64_t byte_count);

/// Returns when what was written to the file is on the medium, as far as the system can tell. 0, or an errno.
int bench_sync_data(int descriptor);

/// Returns when all that was written to the file system of an open file is on its device. 0, or an errno.
int bench_sync_file_system(int descriptor);

/// Lets a thread (0 for the calling one) use only the first so many of the processors that the process began with, 0 for
/// all of these. Returns 0 or an errno: ENOTSUP where the system cannot.
int bench_bind_thread(int thread, int processor_count);

/// How many processors the calling thread may use; 0 where the system does not tell.
int bench_processor_count(void);

/// Maps pages for writing before they are touched. Returns 0 or an errno: EINVAL where the system cannot.
int bench_populate(void *address, size_t byte_count);

#endif
