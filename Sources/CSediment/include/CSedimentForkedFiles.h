#ifndef CSEDIMENT_FORKED_FILES_H
#define CSEDIMENT_FORKED_FILES_H

#include <stddef.h>

// Files that a child after a fork must not keep.
//
// A child has its parent's open files and mappings, and with them the locks: as long as it keeps one of them, a
// lock outlives the parent, and releasing it in the child takes it from the parent. So in the child each
// descriptor that was entered here is turned into one that leads to no file, under the same number, and mapped
// addresses become such that nothing may be touched there. A child that was forked within a reader's scope, or
// while values were pinned, keeps the mappings until those have ended.

struct sediment_forked_file {
  // The number of an open file, or -1 for a mapping.
  int descriptor;
  void *base;
  size_t byte_count;
  // Whether this process has it from its parent.
  int is_inherited;
  struct sediment_forked_file *previous;
  struct sediment_forked_file *next;
};

// Opens a file and enters its number, with no fork in between; returns -1 and sets `errno` where it fails.
int sediment_open_entered(const char *path, int flags, unsigned mode, struct sediment_forked_file *file);

// Enters a descriptor or addresses that the caller has.
void sediment_forked_file_enter(struct sediment_forked_file *file);

// Takes an entry out, which must be done before its number is closed or its addresses are given back.
void sediment_forked_file_remove(struct sediment_forked_file *file);

#endif
