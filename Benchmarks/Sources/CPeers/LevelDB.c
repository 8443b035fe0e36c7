#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "Peers.h"

struct store {
  leveldb_t *database;
  leveldb_options_t *options;
  leveldb_cache_t *cache;
  leveldb_filterpolicy_t *filter;
  leveldb_readoptions_t *reading;
  leveldb_writeoptions_t *writing;
};

static enum peer_outcome fail(const char *what, char *why) {
  enum peer_outcome outcome = peer_fail(what, why);
  leveldb_free(why);
  return outcome;
}

static const char *version(void) {
  static char text[32];
  snprintf(text, sizeof text, "%d.%d", leveldb_major_version(), leveldb_minor_version());
  return text;
}

static void free_store(struct store *store) {
  leveldb_readoptions_destroy(store->reading);
  leveldb_writeoptions_destroy(store->writing);
  leveldb_options_destroy(store->options);
  leveldb_cache_destroy(store->cache);
  if (store->filter) leveldb_filterpolicy_destroy(store->filter);
  free(store);
}

static const struct variant {
  const char *name;
  size_t write_buffer, block, file;
  int bloom_bits;
} variants[] = {
  {"write buffer 64 MiB, blocks 4 KiB, files 2 MiB, 10 bits a key", 64 << 20, 4096, 2 << 20, 10},
  {"write buffer 4 MiB, blocks 4 KiB, files 2 MiB, 10 bits a key", 4 << 20, 4096, 2 << 20, 10},
  {"write buffer 256 MiB, blocks 4 KiB, files 2 MiB, 10 bits a key", 256 << 20, 4096, 2 << 20, 10},
  {"write buffer 64 MiB, blocks 1 KiB, files 2 MiB, 10 bits a key", 64 << 20, 1024, 2 << 20, 10},
  {"write buffer 64 MiB, blocks 16 KiB, files 2 MiB, 10 bits a key", 64 << 20, 16384, 2 << 20, 10},
  {"write buffer 64 MiB, blocks 4 KiB, files 64 MiB, 10 bits a key", 64 << 20, 4096, 64 << 20, 10},
  {"write buffer 256 MiB, blocks 1 KiB, files 64 MiB, 10 bits a key", 256 << 20, 1024, 64 << 20, 10},
  {"write buffer 64 MiB, blocks 4 KiB, files 2 MiB, 16 bits a key", 64 << 20, 4096, 2 << 20, 16},
  {"write buffer 64 MiB, blocks 4 KiB, files 2 MiB, no filter", 64 << 20, 4096, 2 << 20, 0},
};

PEER_VARIANT(variants)

static size_t smaller(size_t one, size_t other) {
  return one < other ? one : other;
}

static enum peer_outcome open_store(const struct peer_place *place, void **result) {
  struct store *store = calloc(1, sizeof *store);
  if (!store) return peer_fail("opening", "no memory");
  store->cache = leveldb_cache_create_lru(place->cache_size);
  const struct variant *variant = &variants[place->variant];
  if (variant->bloom_bits) store->filter = leveldb_filterpolicy_create_bloom(variant->bloom_bits);
  store->options = leveldb_options_create();
  leveldb_options_set_create_if_missing(store->options, 1);
  leveldb_options_set_cache(store->options, store->cache);
  leveldb_options_set_filter_policy(store->options, store->filter);
  leveldb_options_set_write_buffer_size(
    store->options, smaller(variant->write_buffer, place->cache_size / 2));
  leveldb_options_set_block_size(store->options, variant->block);
  leveldb_options_set_max_file_size(store->options, variant->file);
  leveldb_options_set_compression(
    store->options, place->is_compressed ? leveldb_snappy_compression : leveldb_no_compression);
  store->reading = leveldb_readoptions_create();
  store->writing = leveldb_writeoptions_create();
  leveldb_writeoptions_set_sync(store->writing, place->is_synced);
  char path[4096], *why = NULL;
  peer_path(path, place, "data");
  store->database = leveldb_open(store->options, path, &why);
  if (why) {
    free_store(store);
    return fail("opening", why);
  }
  *result = store;
  return peer_done;
}

static enum peer_outcome set(
  void *opened, const void *key, size_t key_size, const void *value, size_t value_size
) {
  struct store *store = opened;
  char *why = NULL;
  leveldb_put(store->database, store->writing, key, key_size, value, value_size, &why);
  return why ? fail("set", why) : peer_done;
}

static enum peer_outcome set_many(
  void *opened, const void *const *keys, size_t count, void *value, size_t value_size, uint64_t mask
) {
  struct store *store = opened;
  leveldb_writebatch_t *batch = leveldb_writebatch_create();
  for (size_t number = 0; number < count; number++) {
    const void *key = keys[number];
    peer_mark(value, value_size, key, mask);
    leveldb_writebatch_put(batch, key, 16, value, value_size);
  }
  char *why = NULL;
  leveldb_write(store->database, store->writing, batch, &why);
  leveldb_writebatch_destroy(batch);
  return why ? fail("set", why) : peer_done;
}

static enum peer_outcome get(
  void *opened, const void *key, size_t key_size, void *buffer, size_t capacity, size_t *value_size
) {
  struct store *store = opened;
  char *why = NULL;
  size_t size;
  char *value = leveldb_get(store->database, store->reading, key, key_size, &size, &why);
  if (why) return fail("get", why);
  if (!value) return peer_missing;
  enum peer_outcome outcome = peer_give(value, size, buffer, capacity, value_size);
  leveldb_free(value);
  return outcome;
}

static enum peer_outcome remove_key(void *opened, const void *key, size_t key_size) {
  struct store *store = opened;
  char *why = NULL;
  leveldb_delete(store->database, store->writing, key, key_size, &why);
  return why ? fail("remove", why) : peer_done;
}

static enum peer_outcome iterate(void *opened, peer_visitor visitor, void *context) {
  struct store *store = opened;
  leveldb_iterator_t *iterator = leveldb_create_iterator(store->database, store->reading);
  for (leveldb_iter_seek_to_first(iterator); leveldb_iter_valid(iterator); leveldb_iter_next(iterator)) {
    size_t key_size, value_size;
    const char *key = leveldb_iter_key(iterator, &key_size);
    const char *value = leveldb_iter_value(iterator, &value_size);
    visitor(context, key, key_size, value, value_size);
  }
  char *why = NULL;
  leveldb_iter_get_error(iterator, &why);
  leveldb_iter_destroy(iterator);
  return why ? fail("iterate", why) : peer_done;
}

static enum peer_outcome compact(void *opened) {
  struct store *store = opened;
  leveldb_compact_range(store->database, NULL, 0, NULL, 0);
  return peer_done;
}

// An empty batch whose write is synced: the log is one file, so that all before it is on the disk as well.
static enum peer_outcome sync_store(void *opened) {
  struct store *store = opened;
  leveldb_writeoptions_t *writing = leveldb_writeoptions_create();
  leveldb_writeoptions_set_sync(writing, 1);
  leveldb_writebatch_t *batch = leveldb_writebatch_create();
  char *why = NULL;
  leveldb_write(store->database, writing, batch, &why);
  leveldb_writebatch_destroy(batch);
  leveldb_writeoptions_destroy(writing);
  return why ? fail("sync", why) : peer_done;
}

enum { level_count = 7, compacted_file_count = 4 };

// What a file counts for beside the bytes by which a level is too large.
static const uint64_t pending_of_file = 1 << 20;

// By the rules by which the library chooses a level to compact: 4 files in the first, 10 MB times 10 a level in others.
static uint64_t pending(void *opened) {
  struct store *store = opened;
  char *text = leveldb_property_value(store->database, "leveldb.stats");
  if (!text) return 0;
  uint64_t left = 0;
  for (char *line = text; line; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    int level, file_count;
    double mebibytes;
    if (sscanf(line, "%d %d %lf", &level, &file_count, &mebibytes) != 3 || level >= level_count - 1) continue;
    if (level == 0) {
      if (file_count >= compacted_file_count) left += pending_of_file * (uint64_t)file_count;
      continue;
    }
    double most = 10;
    for (int number = 1; number < level; number++) most *= 10;
    if (mebibytes > most) left += (uint64_t)((mebibytes - most) * (1 << 20)) + 1;
  }
  leveldb_free(text);
  return left;
}

// A range without keys has the memory table written, and waits for that; levels are waited for by what they hold.
static enum peer_outcome settle(void *opened) {
  struct store *store = opened;
  leveldb_compact_range(store->database, "", 0, "", 0);
  while (pending(store) > 0) usleep(1000);
  return peer_done;
}

static enum peer_outcome close_store(void *opened) {
  struct store *store = opened;
  leveldb_close(store->database);
  free_store(store);
  return peer_done;
}

const struct peer_engine peer_leveldb = {
  .name = "LevelDB",
  .version = version,
  .settings =
    "A cache of 512 MiB, or of a quarter of the memory where that is limited.\n"
    "No compression of random bytes; Snappy, its only one, for JSON.\n"
    "Its memory table is written and its compactions are waited for; before it is read, it is compacted.\n"
    "Its C interface allocates each value that it returns.",
  .variant = variant_name,
  .chosen = 5,
  .compacts_before_reads = true,
  .open = open_store,
  .set = set,
  .set_many = set_many,
  .get = get,
  .remove = remove_key,
  .iterate = iterate,
  .compact = compact,
  .sync = sync_store,
  .settle = settle,
  .pending = pending,
  .close = close_store,
};
