#include <kclangc.h>
#include <stdio.h>
#include <stdlib.h>

#include "Peers.h"

struct store {
  KCDB *table;
  bool is_synced;
};

static enum peer_outcome fail(const char *what, KCDB *table) {
  return peer_fail(what, kcdbemsg(table));
}

static const char *version(void) {
  return KCVERSION;
}

static const struct variant {
  const char *name;
  size_t buckets_a_key;
  const char *parameters;
  size_t map_mebibytes;
} variants[] = {
  {"2 buckets a key, lists in them, apow 3, dfunit 8, 4 GiB mapped", 2, "opts=l#apow=3#dfunit=8", 4096},
  {"1 bucket a key, lists in them, apow 3, dfunit 8, 4 GiB mapped", 1, "opts=l#apow=3#dfunit=8", 4096},
  {"4 buckets a key, lists in them, apow 3, dfunit 8, 4 GiB mapped", 4, "opts=l#apow=3#dfunit=8", 4096},
  {"2 buckets a key, trees in them, apow 3, dfunit 8, 4 GiB mapped", 2, "apow=3#dfunit=8", 4096},
  {"2 buckets a key, lists in them, apow 3, no dfunit, 4 GiB mapped", 2, "opts=l#apow=3", 4096},
  {"2 buckets a key, lists in them, apow 0, dfunit 8, 4 GiB mapped", 2, "opts=l#apow=0#dfunit=8", 4096},
  {"2 buckets a key, lists in them, apow 4, dfunit 8, 4 GiB mapped", 2, "opts=l#apow=4#dfunit=8", 4096},
  {"2 buckets a key, lists of short addresses, apow 3, dfunit 8, 4 GiB mapped", 2, "opts=sl#apow=3#dfunit=8", 4096},
  {"2 buckets a key, lists of short addresses, apow 4, dfunit 8, 4 GiB mapped", 2, "opts=sl#apow=4#dfunit=8", 4096},
  {"2 buckets a key, lists in them, apow 3, dfunit 8, 64 MiB mapped", 2, "opts=l#apow=3#dfunit=8", 64},
  {"2 buckets a key, lists in them, apow 3, dfunit 8, 2 GiB mapped", 2, "opts=l#apow=3#dfunit=8", 2048},
  {"4 buckets a key, lists of short addresses, apow 3, no dfunit, 4 GiB mapped", 4, "opts=sl#apow=3", 4096},
};

PEER_VARIANT(variants)

static enum peer_outcome open_store(const struct peer_place *place, void **result) {
  struct store *store = calloc(1, sizeof *store);
  if (!store) return peer_fail("opening", "no memory");
  store->table = kcdbnew();
  store->is_synced = place->is_synced;
  char file[4096], path[4096 + 256];
  peer_path(file, place, "data.kch");
  const struct variant *variant = &variants[place->variant];
  snprintf(
    path, sizeof path, "%s#bnum=%zu#%s#msiz=%zu", file, place->key_count * variant->buckets_a_key,
    variant->parameters, variant->map_mebibytes << 20);
  if (!kcdbopen(store->table, path, KCOWRITER | KCOREADER | KCOCREATE)) {
    enum peer_outcome outcome = fail("opening", store->table);
    kcdbdel(store->table);
    free(store);
    return outcome;
  }
  *result = store;
  return peer_done;
}

static enum peer_outcome synced(struct store *store) {
  if (store->is_synced && !kcdbsync(store->table, 1, NULL, NULL)) return fail("sync", store->table);
  return peer_done;
}

static enum peer_outcome set(
  void *opened, const void *key, size_t key_size, const void *value, size_t value_size
) {
  struct store *store = opened;
  if (!kcdbset(store->table, key, key_size, value, value_size)) return fail("set", store->table);
  return synced(store);
}

static enum peer_outcome get(
  void *opened, const void *key, size_t key_size, void *buffer, size_t capacity, size_t *value_size
) {
  struct store *store = opened;
  int32_t size = kcdbgetbuf(store->table, key, key_size, buffer, capacity);
  if (size < 0) return kcdbecode(store->table) == KCENOREC ? peer_missing : fail("get", store->table);
  *value_size = (size_t)size;
  return (size_t)size > capacity ? peer_too_large : peer_done;
}

static enum peer_outcome remove_key(void *opened, const void *key, size_t key_size) {
  struct store *store = opened;
  if (kcdbremove(store->table, key, key_size)) return synced(store);
  return kcdbecode(store->table) == KCENOREC ? peer_missing : fail("remove", store->table);
}

struct visit {
  peer_visitor visitor;
  void *context;
  bool is_missing;
};

static const char *see(
  const char *key, size_t key_size, const char *value, size_t value_size, size_t *size, void *context
) {
  struct visit *visit = context;
  visit->visitor(visit->context, key, key_size, value, value_size);
  return KCVISNOP;
}

static const char *see_none(const char *key, size_t key_size, size_t *size, void *context) {
  ((struct visit *)context)->is_missing = true;
  return KCVISNOP;
}

static enum peer_outcome visit_value(
  void *opened, const void *key, size_t key_size, peer_visitor visitor, void *context
) {
  struct store *store = opened;
  struct visit visit = {visitor, context, false};
  if (!kcdbaccept(store->table, key, key_size, see, see_none, &visit, 0)) return fail("accept", store->table);
  return visit.is_missing ? peer_missing : peer_done;
}

static enum peer_outcome iterate(void *opened, peer_visitor visitor, void *context) {
  struct store *store = opened;
  struct visit visit = {visitor, context, false};
  return kcdbiterate(store->table, see, &visit, 0) ? peer_done : fail("iterate", store->table);
}

static enum peer_outcome sync_store(void *opened) {
  struct store *store = opened;
  return kcdbsync(store->table, 1, NULL, NULL) ? peer_done : fail("sync", store->table);
}

static enum peer_outcome close_store(void *opened) {
  struct store *store = opened;
  enum peer_outcome outcome = kcdbclose(store->table) ? peer_done : fail("close", store->table);
  kcdbdel(store->table);
  free(store);
  return outcome;
}

const struct peer_engine peer_kyoto = {
  .name = "Kyoto Cabinet",
  .version = version,
  .settings =
    "HashDB, its quickest kind for keys without an order.\n"
    "Values are read in place by the callback of kcdbaccept.\n"
    "Synced sets are followed by kcdbsync(hard). Its calls for many keys make no batch: each record is set by itself.",
  .variant = variant_name,
  .chosen = 6,
  .open = open_store,
  .set = set,
  .get = get,
  .visit = visit_value,
  .remove = remove_key,
  .iterate = iterate,
  .sync = sync_store,
  .settle = sync_store,
  .close = close_store,
};
