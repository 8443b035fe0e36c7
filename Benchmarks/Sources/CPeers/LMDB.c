#include <lmdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "Peers.h"

struct store {
  MDB_env *environment;
  MDB_dbi table;
  // How many transactions have written: a reader that is older begins anew.
  _Atomic uint64_t version;
};

// A thread's reading transaction, used again as long as nothing was written.
struct reader {
  struct store *store;
  MDB_txn *transaction;
  uint64_t version;
  bool is_active;
};

static _Thread_local struct reader reader;

static enum peer_outcome fail(const char *what, int code) {
  return peer_fail(what, mdb_strerror(code));
}

static const char *version(void) {
  static char text[32];
  int major, minor, patch;
  mdb_version(&major, &minor, &patch);
  snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
  return text;
}

static void end_reading(void) {
  if (reader.transaction) mdb_txn_abort(reader.transaction);
  reader = (struct reader){0};
}

// A writer does not leave its own reading transaction open, which would keep pages from being used again.
static void pause_reading(struct store *store) {
  if (reader.store == store && reader.is_active) {
    mdb_txn_reset(reader.transaction);
    reader.is_active = false;
  }
}

static int begin_reading(struct store *store) {
  uint64_t now = atomic_load_explicit(&store->version, memory_order_acquire);
  if (reader.store == store && reader.is_active && reader.version == now) return 0;
  if (reader.store != store) {
    end_reading();
    int code = mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &reader.transaction);
    if (code) return code;
  } else {
    if (reader.is_active) mdb_txn_reset(reader.transaction);
    int code = mdb_txn_renew(reader.transaction);
    if (code) return code;
  }
  reader.store = store;
  reader.version = now;
  reader.is_active = true;
  return 0;
}

// How a store is opened in which nothing waits for the disk; none of these survives every power failure.
static const struct variant {
  const char *name;
  unsigned flags;
} variants[] = {
  {"MDB_WRITEMAP, MDB_NOSYNC, MDB_NOMETASYNC, MDB_NORDAHEAD, MDB_NOMEMINIT",
   MDB_WRITEMAP | MDB_NOSYNC | MDB_NOMETASYNC | MDB_NORDAHEAD | MDB_NOMEMINIT},
  {"MDB_WRITEMAP, MDB_NOSYNC, MDB_NOMETASYNC, MDB_NOMEMINIT",
   MDB_WRITEMAP | MDB_NOSYNC | MDB_NOMETASYNC | MDB_NOMEMINIT},
  {"MDB_WRITEMAP, MDB_NOSYNC, MDB_NOMETASYNC", MDB_WRITEMAP | MDB_NOSYNC | MDB_NOMETASYNC},
  {"MDB_WRITEMAP, MDB_MAPASYNC, MDB_NORDAHEAD, MDB_NOMEMINIT",
   MDB_WRITEMAP | MDB_MAPASYNC | MDB_NORDAHEAD | MDB_NOMEMINIT},
  {"MDB_NOSYNC, MDB_NOMETASYNC, MDB_NORDAHEAD, MDB_NOMEMINIT",
   MDB_NOSYNC | MDB_NOMETASYNC | MDB_NORDAHEAD | MDB_NOMEMINIT},
  {"MDB_NOSYNC, MDB_NOMETASYNC", MDB_NOSYNC | MDB_NOMETASYNC},
};

PEER_VARIANT(variants)

static enum peer_outcome open_store(const struct peer_place *place, void **result) {
  struct store *store = calloc(1, sizeof *store);
  if (!store) return peer_fail("opening", "no memory");
  char path[4096];
  peer_path(path, place, "data.mdb");
  unsigned flags = MDB_NOSUBDIR;
  flags |= place->is_synced ? MDB_NORDAHEAD | MDB_NOMEMINIT : variants[place->variant].flags;
  int code = mdb_env_create(&store->environment);
  if (!code) code = mdb_env_set_mapsize(store->environment, peer_map_size);
  if (!code) code = mdb_env_open(store->environment, path, flags, 0600);
  MDB_txn *transaction = NULL;
  if (!code) code = mdb_txn_begin(store->environment, NULL, 0, &transaction);
  if (!code) code = mdb_dbi_open(transaction, NULL, MDB_CREATE, &store->table);
  if (!code) code = mdb_txn_commit(transaction);
  if (code) {
    if (store->environment) mdb_env_close(store->environment);
    free(store);
    return fail("opening", code);
  }
  *result = store;
  return peer_done;
}

static enum peer_outcome set(
  void *opened, const void *key, size_t key_size, const void *value, size_t value_size
) {
  struct store *store = opened;
  pause_reading(store);
  MDB_txn *transaction;
  int code = mdb_txn_begin(store->environment, NULL, 0, &transaction);
  if (code) return fail("set", code);
  MDB_val name = {key_size, (void *)key}, data = {value_size, (void *)value};
  code = mdb_put(transaction, store->table, &name, &data, 0);
  if (code) {
    mdb_txn_abort(transaction);
    return fail("set", code);
  }
  code = mdb_txn_commit(transaction);
  atomic_fetch_add_explicit(&store->version, 1, memory_order_release);
  return code ? fail("set", code) : peer_done;
}

static enum peer_outcome set_many(
  void *opened, const void *const *keys, size_t count, void *value, size_t value_size, uint64_t mask
) {
  struct store *store = opened;
  pause_reading(store);
  MDB_txn *transaction;
  int code = mdb_txn_begin(store->environment, NULL, 0, &transaction);
  for (size_t number = 0; !code && number < count; number++) {
    const void *key = keys[number];
    peer_mark(value, value_size, key, mask);
    MDB_val name = {16, (void *)key}, data = {value_size, value};
    code = mdb_put(transaction, store->table, &name, &data, 0);
    if (code) mdb_txn_abort(transaction);
  }
  if (!code) code = mdb_txn_commit(transaction);
  atomic_fetch_add_explicit(&store->version, 1, memory_order_release);
  return code ? fail("set", code) : peer_done;
}

static enum peer_outcome find(struct store *store, const void *key, size_t key_size, MDB_val *data) {
  int code = begin_reading(store);
  if (code) return fail("get", code);
  MDB_val name = {key_size, (void *)key};
  code = mdb_get(reader.transaction, store->table, &name, data);
  if (code == MDB_NOTFOUND) return peer_missing;
  return code ? fail("get", code) : peer_done;
}

static enum peer_outcome get(
  void *opened, const void *key, size_t key_size, void *buffer, size_t capacity, size_t *value_size
) {
  MDB_val data;
  enum peer_outcome outcome = find(opened, key, key_size, &data);
  return outcome ? outcome : peer_give(data.mv_data, data.mv_size, buffer, capacity, value_size);
}

static enum peer_outcome locate(
  void *opened, const void *key, size_t key_size, const void **value, size_t *value_size
) {
  MDB_val data;
  enum peer_outcome outcome = find(opened, key, key_size, &data);
  if (outcome) return outcome;
  *value = data.mv_data;
  *value_size = data.mv_size;
  return peer_done;
}

static enum peer_outcome remove_key(void *opened, const void *key, size_t key_size) {
  struct store *store = opened;
  pause_reading(store);
  MDB_txn *transaction;
  int code = mdb_txn_begin(store->environment, NULL, 0, &transaction);
  if (code) return fail("remove", code);
  MDB_val name = {key_size, (void *)key};
  code = mdb_del(transaction, store->table, &name, NULL);
  if (code) {
    mdb_txn_abort(transaction);
    return code == MDB_NOTFOUND ? peer_missing : fail("remove", code);
  }
  code = mdb_txn_commit(transaction);
  atomic_fetch_add_explicit(&store->version, 1, memory_order_release);
  return code ? fail("remove", code) : peer_done;
}

static enum peer_outcome iterate(void *opened, peer_visitor visitor, void *context) {
  struct store *store = opened;
  int code = begin_reading(store);
  MDB_cursor *cursor = NULL;
  if (!code) code = mdb_cursor_open(reader.transaction, store->table, &cursor);
  MDB_val key, data;
  while (!code) {
    code = mdb_cursor_get(cursor, &key, &data, MDB_NEXT);
    if (!code) visitor(context, key.mv_data, key.mv_size, data.mv_data, data.mv_size);
  }
  if (cursor) mdb_cursor_close(cursor);
  return code == MDB_NOTFOUND ? peer_done : fail("iterate", code);
}

static enum peer_outcome sync_store(void *opened) {
  struct store *store = opened;
  int code = mdb_env_sync(store->environment, 1);
  return code ? fail("sync", code) : peer_done;
}

static enum peer_outcome close_store(void *opened) {
  struct store *store = opened;
  end_reading();
  mdb_env_close(store->environment);
  free(store);
  return peer_done;
}

const struct peer_engine peer_lmdb = {
  .name = "LMDB",
  .version = version,
  .settings =
    "Where nothing waits for the disk it does without syncs: a power failure may destroy the file.\n"
    "Where sets are synced: MDB_NORDAHEAD, MDB_NOMEMINIT, for pwrite and fdatasync are quicker there than msync.\n"
    "Batches are transactions with sorted keys, single sets have one each; a reading transaction is kept until something is written.",
  .variant = variant_name,
  .chosen = 2,
  .sorts_batches = true,
  .open = open_store,
  .set = set,
  .set_many = set_many,
  .get = get,
  .locate = locate,
  .remove = remove_key,
  .iterate = iterate,
  .sync = sync_store,
  .settle = sync_store,
  .close = close_store,
};
