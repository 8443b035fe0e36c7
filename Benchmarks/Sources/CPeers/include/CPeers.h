// Other engines behind one small protocol, each called through its own C interface.
#ifndef SEDIMENT_BENCHMARKS_CPEERS_H
#define SEDIMENT_BENCHMARKS_CPEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a store is to be opened for.
struct peer_place {
  /// A folder for its files alone.
  const char *folder;
  /// About how many keys there will be.
  size_t key_count;
  /// Whether each set is to be on the disk when it returns.
  bool is_synced;
  /// Whether values are to be compressed.
  bool is_compressed;
  /// From how many threads it will be called.
  size_t thread_count;
  /// How much memory a cache may take, and whether a process with little memory opens the store, now or later.
  size_t cache_size;
  bool is_memory_limited;
  /// Which of the engine's variants it is to be.
  size_t variant;
};

/// The longest key; keys are short here.
enum { peer_key_max = 64 };

/// What a call found.
enum peer_outcome {
  peer_done = 0,
  peer_missing = 1,
  peer_failed = -1,
  /// The value is larger than the room for it; its size has been told.
  peer_too_large = -2,
};

/// Sees a value that is valid during the call.
typedef void (*peer_visitor)(void *context, const void *key, size_t key_size, const void *value, size_t value_size);

/// An engine. Functions that it lacks are null; all that can fail return an outcome, and `peer_message` says more.
struct peer_engine {
  const char *name;
  const char *(*version)(void);
  /// How all its variants are set up and why, a sentence a line.
  const char *settings;
  /// What tells a variant from the others, in a few words; null behind the last. All promise the same.
  const char *(*variant)(size_t number);
  /// The variant that is compared with other engines: the best one of the kept sweep.
  size_t chosen;
  /// Whether a batch is quicker if its keys are sorted first, as in a tree. Sorting is part of the time.
  bool sorts_batches;
  /// Whether `compact` brings a store whose background has ended into a state that is quicker to read, as in an LSM tree.
  bool compacts_before_reads;

  enum peer_outcome (*open)(const struct peer_place *place, void **store);
  enum peer_outcome (*set)(void *store, const void *key, size_t key_size, const void *value, size_t value_size);
  /// Sets so many keys of 16 bytes each in one batch or transaction; null where there is none. The value begins with
  /// the first 8 bytes of the key, changed by the mask; it is the caller's to be written over.
  /// Where `sorts_batches` is set the keys come in ascending order.
  enum peer_outcome (*set_many)(
    void *store, const void *const *keys, size_t count, void *value, size_t value_size, uint64_t mask);
  /// Copies a value into a buffer and tells its size.
  enum peer_outcome (*get)(
    void *store, const void *key, size_t key_size, void *buffer, size_t capacity, size_t *value_size);
  /// Tells where a value lies. It stays there until this thread's next call, if nothing is written meanwhile.
  enum peer_outcome (*locate)(
    void *store, const void *key, size_t key_size, const void **value, size_t *value_size);
  /// Shows a value where it lies, for engines that have a callback in place of `locate`.
  enum peer_outcome (*visit)(
    void *store, const void *key, size_t key_size, peer_visitor visitor, void *context);
  /// Shows the values of many keys; the key that the visitor gets is null, its size the key's number,
  /// and the value of a missing key is null.
  enum peer_outcome (*visit_many)(
    void *store, const void *const *keys, size_t count, peer_visitor visitor, void *context);
  enum peer_outcome (*remove)(void *store, const void *key, size_t key_size);
  enum peer_outcome (*iterate)(void *store, peer_visitor visitor, void *context);
  /// Makes what was set before safe from a power failure.
  enum peer_outcome (*sync)(void *store);
  /// Writes what is in memory, and waits until the background has nothing left to do.
  enum peer_outcome (*settle)(void *store);
  /// How much work the background has left, in a unit of the engine's own; null where nothing is left for later.
  uint64_t (*pending)(void *store);
  enum peer_outcome (*compact)(void *store);
  enum peer_outcome (*close)(void *store);
};

extern const struct peer_engine peer_rocksdb, peer_leveldb, peer_lmdb, peer_sqlite, peer_tkrzw, peer_kyoto;

/// What went wrong in the last call of this thread that failed.
const char *peer_message(void);

#endif
