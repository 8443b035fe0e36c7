#ifndef CSEDIMENT_SYSTEM_H
#define CSEDIMENT_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

// System calls that Swift cannot name: variadic ones and those that differ from system to system. Each
// returns -1 and sets `errno` where it fails, and makes its call once: retrying is the caller's decision.

// Whether there is a process of that number, as far as this one can see; 0 if not.
int sediment_process_lives(uint64_t number);

int sediment_system_open(const char *path, int flags, unsigned mode);

// Fails with EEXIST where `destination` exists, in one step with the rename.
int sediment_rename_keeping(const char *path, const char *destination);

// Sets (`kind` F_RDLCK or F_WRLCK) or clears (F_UNLCK) a lock of the open file description, without waiting;
// a `count` of 0 means all that follows `start`.
int sediment_lock(int descriptor, int kind, int64_t start, int64_t count);

// Reserves blocks. On Linux the file grows to the end of the range; with `unsharing`, blocks that a clone
// shares are replaced. On Apple's systems `count` bytes beyond the file's end are reserved for its growth.
int sediment_allocate(int descriptor, int64_t start, int64_t count, int unsharing);

#if !defined(__APPLE__)
// Whether the range lies in the file, and the file system says that each byte of it has a block that no other file shares;
// 0 also if it cannot tell.
int sediment_has_blocks(int descriptor, int64_t start, int64_t count);
#endif

// Writes what the page cache has of the file that is not written yet, without emptying the drive's cache, and lets the
// cache forget what it has of blocks that were reserved and hold nothing on the disk. Does nothing but on Linux, and
// nothing where the file system cannot tell such blocks; that writing fails is left for the next sync to tell.
void sediment_forget_unwritten(int descriptor);

// Releases the blocks of the range, which on Apple's systems must be aligned to them.
int sediment_punch_hole(int descriptor, int64_t start, int64_t count);

// The next position, from `start` on, that has data (`for_data`) or is in a hole; fails with ENXIO beyond the last.
int64_t sediment_seek(int descriptor, int64_t start, int for_data);

// Waits until the medium has the file's bytes and what is needed to find them.
int sediment_system_sync(int descriptor);

// Linux: makes `target`, an empty file, share the blocks of `source`.
// Apple's systems: makes a file of that name that does.
#if defined(__APPLE__)
int sediment_clone(int source, const char *path);
#else
int sediment_clone(int source, int target);
#endif

// What is known of the file system under a file: its magic number where there is one, else its name.
struct sediment_file_system {
  uint32_t magic;
  // Linux, ext2 to ext4: the file is mapped by extents, without which nothing can be reserved.
  int has_extents;
  // Apple: the bytes lie on this machine.
  int is_local;
  char name[16];
};
int sediment_find_file_system(int descriptor, struct sediment_file_system *result);

#endif
