#include <rocksdb/c.h>
#include <stdlib.h>
#include <unistd.h>

#include "Peers.h"

struct store {
  rocksdb_t *database;
  // What calls for many keys want to be told.
  rocksdb_column_family_handle_t *family;
  rocksdb_options_t *options;
  rocksdb_block_based_table_options_t *table;
  rocksdb_cache_t *cache;
  rocksdb_readoptions_t *reading;
  rocksdb_writeoptions_t *writing;
};

static enum peer_outcome fail(const char *what, char *why) {
  enum peer_outcome outcome = peer_fail(what, why);
  rocksdb_free(why);
  return outcome;
}

static void free_store(struct store *store) {
  rocksdb_readoptions_destroy(store->reading);
  rocksdb_writeoptions_destroy(store->writing);
  rocksdb_options_destroy(store->options);
  rocksdb_block_based_options_destroy(store->table);
  rocksdb_cache_destroy(store->cache);
  free(store);
}

enum memory_table { skip_list, hash_skip_list, hash_link_list };
enum table_kind { blocks, hashed_blocks, plain };

// WAL is on in all of them: without it the death of the process would take what was set.
static const struct variant {
  const char *name;
  enum memory_table memory;
  enum table_kind kind;
  size_t block, write_buffer;
  bool is_mapped, is_unordered;
} variants[] = {
  {"hash index in blocks of 4 KiB, memory tables 64 MiB", skip_list, hashed_blocks, 4096, 64 << 20, false, false},
  {"binary search in blocks of 4 KiB, memory tables 64 MiB", skip_list, blocks, 4096, 64 << 20, false, false},
  {"hash index in blocks of 1 KiB, memory tables 64 MiB", skip_list, hashed_blocks, 1024, 64 << 20, false, false},
  {"hash index in blocks of 16 KiB, memory tables 64 MiB", skip_list, hashed_blocks, 16384, 64 << 20, false, false},
  {"hash index in blocks of 4 KiB, memory tables 16 MiB", skip_list, hashed_blocks, 4096, 16 << 20, false, false},
  {"hash index in blocks of 4 KiB, memory tables 256 MiB", skip_list, hashed_blocks, 4096, 256 << 20, false, false},
  {"hash index in blocks of 4 KiB, mapped files", skip_list, hashed_blocks, 4096, 64 << 20, true, false},
  {"hash index in blocks of 4 KiB, unordered writes", skip_list, hashed_blocks, 4096, 64 << 20, false, true},
  {"hash index in blocks of 4 KiB, hash skip lists in memory", hash_skip_list, hashed_blocks, 4096, 64 << 20, false,
   false},
  {"hash index in blocks of 4 KiB, hash link lists in memory", hash_link_list, hashed_blocks, 4096, 64 << 20, false,
   false},
  {"plain tables in mapped files, skip lists in memory", skip_list, plain, 0, 64 << 20, true, false},
  {"plain tables in mapped files, hash skip lists in memory", hash_skip_list, plain, 0, 64 << 20, true, false},
};

PEER_VARIANT(variants)

static void choose_memory(struct store *store, const struct variant *variant) {
  const size_t bucket_count = 1 << 20;
  if (variant->memory == skip_list) {
    rocksdb_options_set_memtable_whole_key_filtering(store->options, 1);
    rocksdb_options_set_memtable_prefix_bloom_size_ratio(store->options, 0.02);
    return;
  }
  rocksdb_options_set_allow_concurrent_memtable_write(store->options, 0);
  if (variant->memory == hash_skip_list) {
    rocksdb_options_set_hash_skip_list_rep(store->options, bucket_count, 4, 4);
  } else {
    rocksdb_options_set_hash_link_list_rep(store->options, bucket_count);
  }
}

static void choose_tables(struct store *store, const struct variant *variant) {
  const int filter_bits = 10, key_size = 16;
  if (variant->memory != skip_list || variant->kind == plain) {
    rocksdb_options_set_prefix_extractor(store->options, rocksdb_slicetransform_create_fixed_prefix(key_size));
  }
  if (variant->kind == plain) {
    rocksdb_options_set_plain_table_factory(store->options, key_size, filter_bits, 0.75, 16);
    return;
  }
  rocksdb_block_based_options_set_block_cache(store->table, store->cache);
  rocksdb_block_based_options_set_block_size(store->table, variant->block);
  rocksdb_block_based_options_set_filter_policy(
    store->table, rocksdb_filterpolicy_create_bloom_full(filter_bits));
  rocksdb_block_based_options_set_format_version(store->table, 5);
  if (variant->kind == hashed_blocks) {
    rocksdb_block_based_options_set_data_block_index_type(
      store->table, rocksdb_block_based_table_data_block_index_type_binary_search_and_hash);
    rocksdb_block_based_options_set_data_block_hash_ratio(store->table, 0.75);
  }
  rocksdb_options_set_block_based_table_factory(store->options, store->table);
}

// A dictionary for each file, trained by zstd as its manual advises: from a hundred times its size. All else is the default.
static void choose_dictionary(struct store *store) {
  const int window_bits = -14, default_level = 32767, strategy = 0, dictionary_size = 16 << 10;
  rocksdb_options_set_compression_options(store->options, window_bits, default_level, strategy, dictionary_size);
  rocksdb_options_set_compression_options_zstd_max_train_bytes(store->options, 100 * dictionary_size);
}

static enum peer_outcome open_store(const struct peer_place *place, void **result) {
  struct store *store = calloc(1, sizeof *store);
  if (!store) return peer_fail("opening", "no memory");
  const struct variant *variant = &variants[place->variant];
  // Plain tables cannot compress, and what they map is not to be larger than the memory. Memory tables that are hashed
  // take 8 MiB each before they hold anything, which may be all that a small one is allowed.
  bool cannot_compress = variant->kind == plain;
  bool takes_memory = variant->kind == plain || variant->memory != skip_list;
  if ((place->is_compressed && cannot_compress) || (place->is_memory_limited && takes_memory)) variant = &variants[0];
  size_t write_buffer = variant->write_buffer;
  if (write_buffer > place->cache_size / 2) write_buffer = place->cache_size / 2;
  store->cache = rocksdb_cache_create_lru(place->cache_size);
  store->table = rocksdb_block_based_options_create();
  store->options = rocksdb_options_create();
  choose_memory(store, variant);
  choose_tables(store, variant);
  rocksdb_options_set_allow_mmap_reads(store->options, variant->is_mapped);
  rocksdb_options_set_unordered_write(store->options, variant->is_unordered);
  rocksdb_options_set_create_if_missing(store->options, 1);
  rocksdb_options_set_max_background_jobs(store->options, 2);
  rocksdb_options_set_write_buffer_size(store->options, write_buffer);
  rocksdb_options_set_max_write_buffer_number(store->options, 4);
  rocksdb_options_set_compression(
    store->options, place->is_compressed ? rocksdb_zstd_compression : rocksdb_no_compression);
  if (place->is_compressed) choose_dictionary(store);
  store->reading = rocksdb_readoptions_create();
  store->writing = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(store->writing, place->is_synced);
  char path[4096], *why = NULL;
  peer_path(path, place, "data");
  const char *names[] = {"default"};
  const rocksdb_options_t *options[] = {store->options};
  store->database =
    rocksdb_open_column_families(store->options, path, 1, names, options, &store->family, &why);
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
  rocksdb_put(store->database, store->writing, key, key_size, value, value_size, &why);
  return why ? fail("set", why) : peer_done;
}

static enum peer_outcome set_many(
  void *opened, const void *const *keys, size_t count, void *value, size_t value_size, uint64_t mask
) {
  struct store *store = opened;
  rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
  for (size_t number = 0; number < count; number++) {
    const void *key = keys[number];
    peer_mark(value, value_size, key, mask);
    rocksdb_writebatch_put(batch, key, 16, value, value_size);
  }
  char *why = NULL;
  rocksdb_write(store->database, store->writing, batch, &why);
  rocksdb_writebatch_destroy(batch);
  return why ? fail("set", why) : peer_done;
}

// The value that this thread has found last.
static _Thread_local rocksdb_pinnableslice_t *found;

static void release_found(void) {
  if (found) rocksdb_pinnableslice_destroy(found);
  found = NULL;
}

static enum peer_outcome locate(
  void *opened, const void *key, size_t key_size, const void **value, size_t *value_size
) {
  struct store *store = opened;
  char *why = NULL;
  release_found();
  found = rocksdb_get_pinned(store->database, store->reading, key, key_size, &why);
  if (why) return fail("get", why);
  if (!found) return peer_missing;
  *value = rocksdb_pinnableslice_value(found, value_size);
  return peer_done;
}

static enum peer_outcome get(
  void *opened, const void *key, size_t key_size, void *buffer, size_t capacity, size_t *value_size
) {
  const void *value;
  size_t size;
  enum peer_outcome outcome = locate(opened, key, key_size, &value, &size);
  if (outcome) return outcome;
  outcome = peer_give(value, size, buffer, capacity, value_size);
  release_found();
  return outcome;
}

enum { batch_max = 256 };

static enum peer_outcome visit_many(
  void *opened, const void *const *keys, size_t count, peer_visitor visitor, void *context
) {
  struct store *store = opened;
  const char *names[batch_max];
  size_t sizes[batch_max];
  rocksdb_pinnableslice_t *values[batch_max];
  char *errors[batch_max];
  enum peer_outcome outcome = peer_done;
  for (size_t start = 0; start < count && !outcome; start += batch_max) {
    size_t number = count - start < batch_max ? count - start : batch_max;
    for (size_t place = 0; place < number; place++) {
      names[place] = keys[start + place];
      sizes[place] = 16;
    }
    rocksdb_batched_multi_get_cf(
      store->database, store->reading, store->family, number, names, sizes, values, errors, false);
    for (size_t place = 0; place < number; place++) {
      if (errors[place]) {
        outcome = fail("get", errors[place]);
        continue;
      }
      size_t size = 0;
      const char *value = values[place] ? rocksdb_pinnableslice_value(values[place], &size) : NULL;
      visitor(context, NULL, start + place, value, size);
      if (values[place]) rocksdb_pinnableslice_destroy(values[place]);
    }
  }
  return outcome;
}

static enum peer_outcome remove_key(void *opened, const void *key, size_t key_size) {
  struct store *store = opened;
  char *why = NULL;
  rocksdb_delete(store->database, store->writing, key, key_size, &why);
  return why ? fail("remove", why) : peer_done;
}

static enum peer_outcome iterate(void *opened, peer_visitor visitor, void *context) {
  struct store *store = opened;
  // Tables and memory that are hashed by the key have an order all the same, on request.
  rocksdb_readoptions_t *reading = rocksdb_readoptions_create();
  rocksdb_readoptions_set_total_order_seek(reading, 1);
  rocksdb_iterator_t *iterator = rocksdb_create_iterator(store->database, reading);
  for (rocksdb_iter_seek_to_first(iterator); rocksdb_iter_valid(iterator); rocksdb_iter_next(iterator)) {
    size_t key_size, value_size;
    const char *key = rocksdb_iter_key(iterator, &key_size);
    const char *value = rocksdb_iter_value(iterator, &value_size);
    visitor(context, key, key_size, value, value_size);
  }
  char *why = NULL;
  rocksdb_iter_get_error(iterator, &why);
  rocksdb_iter_destroy(iterator);
  rocksdb_readoptions_destroy(reading);
  return why ? fail("iterate", why) : peer_done;
}

static enum peer_outcome compact(void *opened) {
  struct store *store = opened;
  rocksdb_compact_range(store->database, NULL, 0, NULL, 0);
  return peer_done;
}

static enum peer_outcome sync_store(void *opened) {
  struct store *store = opened;
  char *why = NULL;
  rocksdb_flush_wal(store->database, 1, &why);
  return why ? fail("sync", why) : peer_done;
}

// Both in one look: what is no longer pending may be running.
static bool is_working(struct store *store) {
  static const char *counts[] = {
    "rocksdb.num-running-compactions", "rocksdb.compaction-pending", "rocksdb.num-running-flushes",
    "rocksdb.mem-table-flush-pending", "rocksdb.num-running-compactions",
  };
  for (size_t count = 0; count < sizeof counts / sizeof counts[0]; count++) {
    uint64_t number = 0;
    if (rocksdb_property_int(store->database, counts[count], &number) == 0 && number > 0) return true;
  }
  return false;
}

// Writes the memory tables, and waits until neither they nor levels are worked on.
static enum peer_outcome settle(void *opened) {
  struct store *store = opened;
  char *why = NULL;
  rocksdb_flushoptions_t *flushing = rocksdb_flushoptions_create();
  rocksdb_flushoptions_set_wait(flushing, 1);
  rocksdb_flush(store->database, flushing, &why);
  rocksdb_flushoptions_destroy(flushing);
  if (why) return fail("flush", why);
  while (is_working(store)) usleep(1000);
  return peer_done;
}

// How many bytes are to be rewritten until all levels are as small as they should be.
static uint64_t pending(void *opened) {
  struct store *store = opened;
  uint64_t byte_count = 0;
  rocksdb_property_int(store->database, "rocksdb.estimate-pending-compaction-bytes", &byte_count);
  return byte_count;
}

static enum peer_outcome close_store(void *opened) {
  struct store *store = opened;
  release_found();
  rocksdb_column_family_handle_destroy(store->family);
  rocksdb_close(store->database);
  free_store(store);
  return peer_done;
}

const struct peer_engine peer_rocksdb = {
  .name = "RocksDB",
  .version = peer_rocksdb_version,
  .settings =
    "A cache of 512 MiB, or of a quarter of the memory where that is limited; Bloom filters of 10 bits a key, also for"
    " memory tables, of which there are four; two background jobs: as many as processors.\n"
    "No compression of random bytes; zstd for JSON, with a dictionary of 16 KiB that is trained for each file, which takes"
    " blocks; limited memory takes blocks and skip lists.\n"
    "Its memory tables are written and its compactions are waited for; before it is read, it is compacted.\n"
    "Values are read by pinned slices, many at once by batched_multi_get.",
  .variant = variant_name,
  .chosen = 11,
  .compacts_before_reads = true,
  .open = open_store,
  .set = set,
  .set_many = set_many,
  .get = get,
  .locate = locate,
  .visit_many = visit_many,
  .remove = remove_key,
  .iterate = iterate,
  .compact = compact,
  .sync = sync_store,
  .settle = settle,
  .pending = pending,
  .close = close_store,
};
