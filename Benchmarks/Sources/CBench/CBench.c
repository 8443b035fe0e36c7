#if defined(__linux__)
#define _GNU_SOURCE // for fallocate
#endif

#include "CBench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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
