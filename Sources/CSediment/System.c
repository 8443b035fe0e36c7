#if !defined(__APPLE__)
#define _GNU_SOURCE
#endif
#include "CSedimentMemory.h"
#include "CSedimentSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <sys/clonefile.h>
#include <sys/mount.h>
#include <sys/param.h>
// Open-file-description locks: in the kernel, but not in every version of the header.
#ifndef F_OFD_SETLK
#define F_OFD_SETLK 90
#endif
#else
#include <linux/falloc.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

void sediment_yield(void) { sched_yield(); }

uint64_t sediment_process_number(void) { return (uint64_t)getpid(); }

int sediment_process_lives(uint64_t number) {
  if (number == 0 || number > INT32_MAX) return 0;
  return kill((pid_t)number, 0) == 0 || errno != ESRCH;
}

int sediment_system_open(const char *path, int flags, unsigned mode) { return open(path, flags, (mode_t)mode); }

int64_t sediment_seek(int descriptor, int64_t start, int for_data) {
  return lseek(descriptor, start, for_data ? SEEK_DATA : SEEK_HOLE);
}

int sediment_lock(int descriptor, int kind, int64_t start, int64_t count) {
  // The process number must be 0 for this kind of lock.
  struct flock lock = {.l_type = (short)kind, .l_whence = SEEK_SET, .l_start = start, .l_len = count, .l_pid = 0};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

#if defined(__APPLE__)

int sediment_rename_keeping(const char *path, const char *destination) {
  return renamex_np(path, destination, RENAME_EXCL);
}

int sediment_allocate(int descriptor, int64_t start, int64_t count, int unsharing) {
  (void)start, (void)unsharing;
  fstore_t store = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_offset = 0, .fst_length = count};
  return fcntl(descriptor, F_PREALLOCATE, &store);
}

int sediment_punch_hole(int descriptor, int64_t start, int64_t count) {
  fpunchhole_t hole = {.fp_flags = 0, .reserved = 0, .fp_offset = start, .fp_length = count};
  return fcntl(descriptor, F_PUNCHHOLE, &hole);
}

void sediment_forget_unwritten(int descriptor) { (void)descriptor; }

int sediment_system_sync(int descriptor) {
  // Plain fsync leaves the bytes in the drive's cache; it is all there is on some network file systems.
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
  if (errno != ENOTSUP && errno != EOPNOTSUPP && errno != ENOTTY && errno != EINVAL) return -1;
  return fsync(descriptor);
}

int sediment_clone(int source, const char *path) { return fclonefileat(source, AT_FDCWD, path, 0); }

int sediment_find_file_system(int descriptor, struct sediment_file_system *result) {
  struct statfs status;
  memset(result, 0, sizeof *result);
  if (fstatfs(descriptor, &status) != 0) return -1;
  strlcpy(result->name, status.f_fstypename, sizeof result->name);
  result->is_local = (status.f_flags & MNT_LOCAL) != 0;
  return 0;
}

#else

int sediment_rename_keeping(const char *path, const char *destination) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, destination, RENAME_NOREPLACE);
}

int sediment_allocate(int descriptor, int64_t start, int64_t count, int unsharing) {
  return fallocate(descriptor, unsharing ? FALLOC_FL_UNSHARE_RANGE : 0, start, count);
}

int sediment_punch_hole(int descriptor, int64_t start, int64_t count) {
  return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, count);
}

// Some extents of a file, as the file system tells them.
union extents {
  struct fiemap map;
  unsigned char room[sizeof(struct fiemap) + 64 * sizeof(struct fiemap_extent)];
};

// Finds the next extents of a range, in order; returns how many, which is 0 if that fails, too.
static uint32_t find_extents(int descriptor, uint64_t start, uint64_t end, uint32_t flags, union extents *found) {
  memset(found, 0, sizeof *found);
  found->map.fm_start = start;
  found->map.fm_length = end - start;
  found->map.fm_flags = flags;
  found->map.fm_extent_count = 64;
  return ioctl(descriptor, FS_IOC_FIEMAP, &found->map) == 0 ? found->map.fm_mapped_extents : 0;
}

int sediment_has_blocks(int descriptor, int64_t start, int64_t count) {
  const uint32_t harmless = FIEMAP_EXTENT_LAST | FIEMAP_EXTENT_MERGED | FIEMAP_EXTENT_UNWRITTEN;
  const uint64_t end = (uint64_t)start + (uint64_t)count;
  uint64_t position = (uint64_t)start;
  struct stat status;
  union extents found;
  if (fstat(descriptor, &status) != 0 || (uint64_t)status.st_size < end) return 0;
  while (position < end) {
    const uint32_t extent_count = find_extents(descriptor, position, end, 0, &found);
    if (extent_count == 0) return 0;
    for (uint32_t number = 0; number < extent_count; number++) {
      const struct fiemap_extent *extent = found.map.fm_extents + number;
      const uint64_t extent_end = extent->fe_logical + extent->fe_length;
      if (extent->fe_logical > position || extent_end <= position || (extent->fe_flags & ~harmless)) return 0;
      position = extent_end;
    }
  }
  return 1;
}

void sediment_forget_unwritten(int descriptor) {
  // The cache forgets the pages that it keeps in one piece only together; none of its pieces is longer.
  const uint64_t piece = 2 << 20;
  union extents found;
  uint64_t position = 0;
  for (int is_last = 0; !is_last;) {
    const uint32_t count = find_extents(descriptor, position, FIEMAP_MAX_OFFSET, FIEMAP_FLAG_SYNC, &found);
    if (count == 0) return;
    for (uint32_t number = 0; number < count; number++) {
      const struct fiemap_extent *extent = found.map.fm_extents + number;
      const uint64_t start = extent->fe_logical & ~(piece - 1);
      // One that does not go on would be found again and again.
      if (extent->fe_logical + extent->fe_length <= position) return;
      position = extent->fe_logical + extent->fe_length;
      is_last = (extent->fe_flags & FIEMAP_EXTENT_LAST) != 0;
      if (!(extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN)) continue;
      const uint64_t end = (position + piece - 1) & ~(piece - 1);
      posix_fadvise(descriptor, (off_t)start, (off_t)(end - start), POSIX_FADV_DONTNEED);
    }
  }
}

int sediment_system_sync(int descriptor) { return fdatasync(descriptor); }

int sediment_clone(int source, int target) { return ioctl(target, FICLONE, source); }

int sediment_find_file_system(int descriptor, struct sediment_file_system *result) {
  struct statfs status;
  memset(result, 0, sizeof *result);
  if (fstatfs(descriptor, &status) != 0) return -1;
  result->magic = (uint32_t)status.f_type;
  if (result->magic == 0xEF53) {
    // The request is declared with a long, but the kernel writes an int.
    int flags[2] = {0, 0};
    result->has_extents = ioctl(descriptor, FS_IOC_GETFLAGS, flags) == 0 && (flags[0] & FS_EXTENT_FL) != 0;
  }
  return 0;
}

#endif
