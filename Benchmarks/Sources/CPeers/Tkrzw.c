#include <stdio.h>
#include <stdlib.h>
#include <tkrzw_langc.h>

#include "Peers.h"

struct store {
  TkrzwDBM *table;
  bool is_synced;
};

static enum peer_outcome fail(const char *what) {
  return peer_fail(what, tkrzw_get_last_status_message());
}

static bool is_missing(void) {
  return tkrzw_get_last_status_code() == TKRZW_STATUS_NOT_FOUND_ERROR;
}

static const char *version(void) {
  return TKRZW_PACKAGE_VERSION;
}

static const struct variant {
  const char *name;
  double buckets_a_key;
  const char *parameters;
} variants[] = {
  {"2 buckets a key in memory, offsets of 5 bytes, align_pow 3, mapped in parallel", 2,
   "file=MemoryMapParallelFile,align_pow=3,offset_width=5,cache_buckets=true"},
  {"1 bucket a key in memory, offsets of 5 bytes, align_pow 3, mapped in parallel", 1,
   "file=MemoryMapParallelFile,align_pow=3,offset_width=5,cache_buckets=true"},
  {"4 buckets a key in memory, offsets of 5 bytes, align_pow 3, mapped in parallel", 4,
   "file=MemoryMapParallelFile,align_pow=3,offset_width=5,cache_buckets=true"},
  {"2 buckets a key in the file, offsets of 5 bytes, align_pow 3, mapped in parallel", 2,
   "file=MemoryMapParallelFile,align_pow=3,offset_width=5"},
  {"2 buckets a key in the file, offsets of 4 bytes, align_pow 3, mapped in parallel", 2,
   "file=MemoryMapParallelFile,align_pow=3,offset_width=4"},
  {"2 buckets a key in memory, offsets of 5 bytes, align_pow 0, mapped in parallel", 2,
   "file=MemoryMapParallelFile,align_pow=0,offset_width=5,cache_buckets=true"},
  {"2 buckets a key in memory, offsets of 5 bytes, align_pow 4, mapped in parallel", 2,
   "file=MemoryMapParallelFile,align_pow=4,offset_width=5,cache_buckets=true"},
  {"2 buckets a key in memory, offsets of 5 bytes, align_pow 3, mapped with one lock", 2,
   "file=MemoryMapAtomicFile,align_pow=3,offset_width=5,cache_buckets=true"},
  {"2 buckets a key in memory, offsets of 5 bytes, align_pow 3, read and written by calls", 2,
   "file=PositionalParallelFile,align_pow=3,offset_width=5,cache_buckets=true"},
  {"2 buckets a key in memory, offsets of 5 bytes, align_pow 3, a larger pool of free blocks", 2,
   "file=MemoryMapParallelFile,align_pow=3,offset_width=5,cache_buckets=true,fbp_capacity=65536"},
  {"2 buckets a key in memory, offsets of 4 bytes, align_pow 3, a larger pool of free blocks", 2,
   "file=MemoryMapParallelFile,align_pow=3,offset_width=4,cache_buckets=true,fbp_capacity=65536"},
};

PEER_VARIANT(variants)

static enum peer_outcome open_store(const struct peer_place *place, void **result) {
  struct store *store = calloc(1, sizeof *store);
  if (!store) return peer_fail("opening", "no memory");
  store->is_synced = place->is_synced;
  char path[4096], parameters[512];
  peer_path(path, place, "data.tkh");
  const struct variant *variant = &variants[place->variant];
  snprintf(
    parameters, sizeof parameters, "dbm=HashDBM,num_buckets=%zu,%s%s",
    (size_t)(variant->buckets_a_key * place->key_count), variant->parameters,
    place->is_compressed ? ",record_comp_mode=zstd" : "");
  store->table = tkrzw_dbm_open(path, true, parameters);
  if (!store->table) {
    free(store);
    return fail("opening");
  }
  *result = store;
  return peer_done;
}

static enum peer_outcome synced(struct store *store) {
  if (store->is_synced && !tkrzw_dbm_synchronize(store->table, true, NULL, NULL, "")) return fail("sync");
  return peer_done;
}

static enum peer_outcome set(
  void *opened, const void *key, size_t key_size, const void *value, size_t value_size
) {
  struct store *store = opened;
  if (!tkrzw_dbm_set(store->table, key, (int32_t)key_size, value, (int32_t)value_size, true)) return fail("set");
  return synced(store);
}

struct copy {
  void *buffer;
  size_t capacity;
  size_t *value_size;
  enum peer_outcome outcome;
};

static const char *take(
  void *context, const char *key, int32_t key_size, const char *value, int32_t value_size, int32_t *new_size
) {
  struct copy *copy = context;
  if (value) {
    copy->outcome = peer_give(value, (size_t)value_size, copy->buffer, copy->capacity, copy->value_size);
  }
  return TKRZW_REC_PROC_NOOP;
}

static enum peer_outcome get(
  void *opened, const void *key, size_t key_size, void *buffer, size_t capacity, size_t *value_size
) {
  struct store *store = opened;
  struct copy copy = {buffer, capacity, value_size, peer_missing};
  if (!tkrzw_dbm_process(store->table, key, (int32_t)key_size, take, &copy, false)) return fail("get");
  return copy.outcome;
}

static enum peer_outcome remove_key(void *opened, const void *key, size_t key_size) {
  struct store *store = opened;
  if (tkrzw_dbm_remove(store->table, key, (int32_t)key_size)) return synced(store);
  return is_missing() ? peer_missing : fail("remove");
}

struct visit {
  peer_visitor visitor;
  void *context;
  bool is_found;
};

static const char *see(
  void *context, const char *key, int32_t key_size, const char *value, int32_t value_size, int32_t *new_size
) {
  struct visit *visit = context;
  visit->is_found = value != NULL;
  if (value) visit->visitor(visit->context, key, (size_t)key_size, value, (size_t)value_size);
  return TKRZW_REC_PROC_NOOP;
}

static enum peer_outcome visit_value(
  void *opened, const void *key, size_t key_size, peer_visitor visitor, void *context
) {
  struct store *store = opened;
  struct visit visit = {visitor, context, false};
  if (!tkrzw_dbm_process(store->table, key, (int32_t)key_size, see, &visit, false)) return fail("process");
  return visit.is_found ? peer_done : peer_missing;
}

static enum peer_outcome iterate(void *opened, peer_visitor visitor, void *context) {
  struct store *store = opened;
  struct visit visit = {visitor, context, false};
  return tkrzw_dbm_process_each(store->table, see, &visit, false) ? peer_done : fail("iterate");
}

struct numbered_visit {
  peer_visitor visitor;
  void *context;
  size_t number;
};

static const char *see_numbered(
  void *context, const char *key, int32_t key_size, const char *value, int32_t value_size, int32_t *new_size
) {
  struct numbered_visit *visit = context;
  visit->visitor(visit->context, NULL, visit->number, value, value ? (size_t)value_size : 0);
  return TKRZW_REC_PROC_NOOP;
}

enum { batch_max = 256 };

static enum peer_outcome visit_many(
  void *opened, const void *const *keys, size_t count, peer_visitor visitor, void *context
) {
  struct store *store = opened;
  struct numbered_visit visits[batch_max];
  TkrzwKeyProcPair pairs[batch_max];
  for (size_t start = 0; start < count; start += batch_max) {
    size_t number = count - start < batch_max ? count - start : batch_max;
    for (size_t place = 0; place < number; place++) {
      visits[place] = (struct numbered_visit){visitor, context, start + place};
      pairs[place] = (TkrzwKeyProcPair){keys[start + place], 16, see_numbered, &visits[place]};
    }
    if (!tkrzw_dbm_process_multi(store->table, pairs, (int32_t)number, false)) return fail("get");
  }
  return peer_done;
}

static enum peer_outcome compact(void *opened) {
  struct store *store = opened;
  return tkrzw_dbm_rebuild(store->table, "") ? peer_done : fail("rebuild");
}

static enum peer_outcome sync_store(void *opened) {
  struct store *store = opened;
  return tkrzw_dbm_synchronize(store->table, true, NULL, NULL, "") ? peer_done : fail("sync");
}

static enum peer_outcome close_store(void *opened) {
  struct store *store = opened;
  enum peer_outcome outcome = tkrzw_dbm_close(store->table) ? peer_done : fail("close");
  free(store);
  return outcome;
}

const struct peer_engine peer_tkrzw = {
  .name = "TKRZW",
  .version = version,
  .settings =
    "HashDBM, its quickest kind for keys without an order.\n"
    "Values are copied by a callback, for get would allocate each; in place they are seen by process, many at once by"
    " process_multi.\n"
    "Synced sets are followed by synchronize(hard). Its calls for many keys make no batch: each record is set by itself.",
  .variant = variant_name,
  .chosen = 0,
  .open = open_store,
  .set = set,
  .get = get,
  .visit = visit_value,
  .visit_many = visit_many,
  .remove = remove_key,
  .iterate = iterate,
  .compact = compact,
  .sync = sync_store,
  .settle = sync_store,
  .close = close_store,
};
