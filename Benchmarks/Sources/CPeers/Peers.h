// What the engines' files share.
#ifndef SEDIMENT_BENCHMARKS_PEERS_H
#define SEDIMENT_BENCHMARKS_PEERS_H

#include <string.h>

#include "include/CPeers.h"

/// Keeps what went wrong for `peer_message`, and is `peer_failed`.
enum peer_outcome peer_fail(const char *what, const char *why);

/// A function that names the variants of a table whose entries have a name.
#define PEER_VARIANT(table)                                                          \
  static const char *variant_name(size_t number) {                                   \
    return number < sizeof(table) / sizeof(table)[0] ? (table)[number].name : NULL;  \
  }

/// The version of RocksDB, which only its C++ headers tell.
const char *peer_rocksdb_version(void);

/// Puts the path of a file of the store into the buffer.
void peer_path(char path[4096], const struct peer_place *place, const char *name);

/// How large a mapping may become: space of addresses only.
static const size_t peer_map_size = (size_t)32 << 30;

/// Begins a value with the word of its key, and makes it another one throughout: where all values were alike, a
/// dictionary would compress them.
static inline void peer_mark(void *value, size_t size, const void *key, uint64_t mask) {
  uint64_t word, change;
  memcpy(&word, key, sizeof word);
  memcpy(&change, value, sizeof change);
  change ^= word ^ mask;
  for (size_t place = 0; place + sizeof word <= size; place += sizeof word) {
    memcpy(&word, (char *)value + place, sizeof word);
    word ^= change;
    memcpy((char *)value + place, &word, sizeof word);
  }
}

/// Copies what was found, if there is room.
static inline enum peer_outcome peer_give(
  const void *value, size_t size, void *buffer, size_t capacity, size_t *value_size
) {
  *value_size = size;
  if (size > capacity) return peer_too_large;
  memcpy(buffer, value, size);
  return peer_done;
}

#endif
