// Every function of the header that takes arguments and returns a status, as a table, so that tests can call any of
// them with any arguments.
#ifndef CALLS_H
#define CALLS_H

#include <sediment.h>

enum { ARGUMENTS_MAX = 7 };

// What an argument stands for, from which follows what is wrong for it.
enum argument_kind {
  NO_ARGUMENT,
  STORE,
  COLLECTION,
  BATCH,
  ITERATION,
  // Bytes, each followed by its size.
  KEY,
  KEY_SIZE,
  VALUE,
  VALUE_SIZE,
  BUFFER,
  BUFFER_SIZE,
  // A `sediment_bytes` of a value, or null.
  BYTES,
  // An array of keys, followed by its count.
  KEYS,
  COUNT,
  PINNED,
  // Where a result goes.
  OUT,
  // A callback that is needed, one that is not, one of progress, which is not, and the context of all.
  CALLBACK,
  MAYBE_CALLBACK,
  PROGRESS,
  CONTEXT,
  // A text: the path of a store's file that is closed, of a file that is not there, and a collection's name.
  PATH,
  NEW_PATH,
  NAME,
  // Flags: with none known, those of walks, of a cursor, of salvage.
  FLAGS_EACH,
  FLAGS_ITERATE,
  FLAGS_SALVAGE,
  // Structures with sizes.
  OPTIONS,
  CHANGE,
  CHANGE_OF_DURABILITY,
  CHANGE_OF_EXPIRY,
  CHANGE_NEEDED,
  RECOVERY,
  STATISTICS,
  VERIFICATION,
  MAYBE_SALVAGE_REPORT,
};

typedef union argument {
  void *pointer;
  size_t size;
  uint32_t flags;
  void (*function)(void);
} argument;

struct call {
  const char *name;
  sediment_status (*make)(const argument *arguments);
  enum argument_kind kinds[ARGUMENTS_MAX];
  // Whether it takes so long that random sequences make it seldom.
  int is_long;
  // Its callback, unless that is one of progress.
  void (*callback)(void);
};

// What the callbacks return.
extern int (*callback_answer)(void);

extern void (*const progress_callback)(void);

extern const struct call calls[];
extern const int call_count;

#endif
