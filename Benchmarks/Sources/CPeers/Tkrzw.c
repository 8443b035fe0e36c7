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

static enum peer_outcome open_store(const struct peer_place *place, void **result) {
  struct store *store = calloc(1, sizeof *store);
  if (!store) return peer_fail("opening", "no memory");
  store->is_synced = place->is_synced;
  char path[4096], parameters[512];
  peer_path(path, place, "data.tkh");
  snprintf(
    parameters, sizeof parameters,
    "dbm=HashDBM,file=MemoryMapParallelFile,num_buckets=%zu,align_pow=3,offset_width=5,cache_buckets=true%s",
    place->key_count * 2, place->is_compressed ? ",record_comp_mode=zstd" : "");
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
};

static const char *see(
  void *context, const char *key, int32_t key_size, const char *value, int32_t value_size, int32_t *new_size
) {
  struct visit *visit = context;
  if (value) visit->visitor(visit->context, key, (size_t)key_size, value, (size_t)value_size);
  return TKRZW_REC_PROC_NOOP;
}

static enum peer_outcome iterate(void *opened, peer_visitor visitor, void *context) {
  struct store *store = opened;
  struct visit visit = {visitor, context};
  return tkrzw_dbm_process_each(store->table, see, &visit, false) ? peer_done : fail("iterate");
}

static enum peer_outcome compact(void *opened) {
  struct store *store = opened;
  return tkrzw_dbm_rebuild(store->table, "") ? peer_done : fail("rebuild");
}

static enum peer_outcome settle(void *opened) {
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
    "HashDBM with two buckets a key in a file that is mapped: the quickest of its kinds of files.\n"
    "cache_buckets: the buckets stay in memory. align_pow=3: records at multiples of 8 bytes.\n"
    "Values are copied by a callback: get would allocate each.\n"
    "Synced sets are followed by synchronize(hard).",
  .open = open_store,
  .set = set,
  .get = get,
  .remove = remove_key,
  .iterate = iterate,
  .compact = compact,
  .settle = settle,
  .close = close_store,
};
