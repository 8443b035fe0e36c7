#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "Peers.h"

// One connection with its statements.
struct connection {
  sqlite3 *database;
  sqlite3_stmt *set, *get, *remove, *all, *begin, *commit, *rollback;
};

static const struct variant {
  const char *name;
  unsigned page_size, checkpoint_pages;
  bool is_mapped, has_rows;
} variants[] = {
  {"pages of 4 KiB, checkpoints each 10,000 pages, all mapped, WITHOUT ROWID", 4096, 10000, true, false},
  {"pages of 4 KiB, checkpoints each 1,000 pages, all mapped, WITHOUT ROWID", 4096, 1000, true, false},
  {"pages of 4 KiB, checkpoints each 100,000 pages, all mapped, WITHOUT ROWID", 4096, 100000, true, false},
  {"pages of 1 KiB, checkpoints each 40,000 pages, all mapped, WITHOUT ROWID", 1024, 40000, true, false},
  {"pages of 2 KiB, checkpoints each 20,000 pages, all mapped, WITHOUT ROWID", 2048, 20000, true, false},
  {"pages of 16 KiB, checkpoints each 2,500 pages, all mapped, WITHOUT ROWID", 16384, 2500, true, false},
  {"pages of 4 KiB, checkpoints each 10,000 pages, not mapped, WITHOUT ROWID", 4096, 10000, false, false},
  {"pages of 4 KiB, checkpoints each 10,000 pages, all mapped, rows and an index", 4096, 10000, true, true},
  {"pages of 1 KiB, checkpoints each 400,000 pages, not mapped, WITHOUT ROWID", 1024, 400000, false, false},
  {"pages of 2 KiB, checkpoints each 100,000 pages, not mapped, WITHOUT ROWID", 2048, 100000, false, false},
};

PEER_VARIANT(variants)

// Writers take turns with the first connection; where several threads read, each has one of its own.
struct store {
  struct connection writer;
  pthread_mutex_t lock;
  bool is_shared;
  size_t cache_size;
  const struct variant *variant;
  char path[4096];
  pthread_key_t readers;
};

static enum peer_outcome fail(const char *what, sqlite3 *database) {
  return peer_fail(what, database ? sqlite3_errmsg(database) : "no memory");
}

static const char *version(void) {
  return sqlite3_libversion();
}

static void close_connection(struct connection *connection) {
  sqlite3_finalize(connection->set);
  sqlite3_finalize(connection->get);
  sqlite3_finalize(connection->remove);
  sqlite3_finalize(connection->all);
  sqlite3_finalize(connection->begin);
  sqlite3_finalize(connection->commit);
  sqlite3_finalize(connection->rollback);
  sqlite3_close(connection->database);
  *connection = (struct connection){0};
}

static void close_reader(void *reader) {
  close_connection(reader);
  free(reader);
}

static bool prepare(sqlite3 *database, const char *text, sqlite3_stmt **statement) {
  return sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) == SQLITE_OK;
}

static enum peer_outcome open_connection(
  struct connection *connection, const char *path, bool is_synced, bool is_shared, size_t cache_size,
  const struct variant *variant
) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  char settings[768];
  snprintf(
    settings, sizeof settings,
    "PRAGMA page_size = %u; PRAGMA locking_mode = %s; PRAGMA journal_mode = WAL; PRAGMA synchronous = %s;"
    "PRAGMA cache_size = -%zu; PRAGMA mmap_size = %zu; PRAGMA temp_store = MEMORY;"
    "PRAGMA wal_autocheckpoint = %u;"
    "CREATE TABLE IF NOT EXISTS data (key BLOB PRIMARY KEY, value BLOB NOT NULL)%s;",
    variant->page_size, is_shared ? "NORMAL" : "EXCLUSIVE", is_synced ? "FULL" : "OFF", cache_size >> 10,
    variant->is_mapped ? peer_map_size : 0, variant->checkpoint_pages,
    variant->has_rows ? "" : " WITHOUT ROWID");
  bool is_open =
    sqlite3_open_v2(path, &connection->database, flags, NULL) == SQLITE_OK
    && sqlite3_busy_timeout(connection->database, 10000) == SQLITE_OK
    && sqlite3_exec(connection->database, settings, NULL, NULL, NULL) == SQLITE_OK
    && prepare(connection->database, "REPLACE INTO data VALUES (?1, ?2)", &connection->set)
    && prepare(connection->database, "SELECT value FROM data WHERE key = ?1", &connection->get)
    && prepare(connection->database, "DELETE FROM data WHERE key = ?1", &connection->remove)
    && prepare(connection->database, "SELECT key, value FROM data", &connection->all)
    && prepare(connection->database, "BEGIN IMMEDIATE", &connection->begin)
    && prepare(connection->database, "COMMIT", &connection->commit)
    && prepare(connection->database, "ROLLBACK", &connection->rollback);
  if (is_open) return peer_done;
  enum peer_outcome outcome = fail("opening", connection->database);
  close_connection(connection);
  return outcome;
}

static enum peer_outcome open_store(const struct peer_place *place, void **result) {
  struct store *store = calloc(1, sizeof *store);
  if (!store) return peer_fail("opening", "no memory");
  peer_path(store->path, place, "data.sqlite");
  store->cache_size = place->cache_size;
  store->variant = &variants[place->variant];
  store->is_shared = place->thread_count > 1;
  enum peer_outcome outcome =
    open_connection(&store->writer, store->path, place->is_synced, store->is_shared, place->cache_size, store->variant);
  if (outcome) {
    free(store);
    return outcome;
  }
  pthread_mutex_init(&store->lock, NULL);
  pthread_key_create(&store->readers, close_reader);
  *result = store;
  return peer_done;
}

// Runs a statement that returns no rows.
static bool step(sqlite3_stmt *statement) {
  bool is_done = sqlite3_step(statement) == SQLITE_DONE;
  sqlite3_reset(statement);
  return is_done;
}

// A row that is still looked at would keep a transaction open.
static void end_reading(struct connection *connection) {
  sqlite3_reset(connection->get);
}

static bool put(
  struct connection *connection, const void *key, size_t key_size, const void *value, size_t value_size
) {
  sqlite3_bind_blob64(connection->set, 1, key, key_size, SQLITE_STATIC);
  sqlite3_bind_blob64(connection->set, 2, value, value_size, SQLITE_STATIC);
  return step(connection->set);
}

static enum peer_outcome set(
  void *opened, const void *key, size_t key_size, const void *value, size_t value_size
) {
  struct store *store = opened;
  if (store->is_shared) pthread_mutex_lock(&store->lock);
  end_reading(&store->writer);
  bool is_done = put(&store->writer, key, key_size, value, value_size);
  enum peer_outcome outcome = is_done ? peer_done : fail("set", store->writer.database);
  if (store->is_shared) pthread_mutex_unlock(&store->lock);
  return outcome;
}

static enum peer_outcome set_many(
  void *opened, const void *const *keys, size_t count, void *value, size_t value_size, uint64_t mask
) {
  struct store *store = opened;
  struct connection *connection = &store->writer;
  end_reading(connection);
  bool is_done = step(connection->begin);
  for (size_t number = 0; is_done && number < count; number++) {
    const void *key = keys[number];
    peer_mark(value, value_size, key, mask);
    is_done = put(connection, key, 16, value, value_size);
  }
  if (is_done && step(connection->commit)) return peer_done;
  enum peer_outcome outcome = fail("set", connection->database);
  step(connection->rollback);
  return outcome;
}

// The connection that this thread reads with; null if there can be none.
static struct connection *reader(struct store *store) {
  if (!store->is_shared) return &store->writer;
  struct connection *connection = pthread_getspecific(store->readers);
  if (connection) return connection;
  connection = calloc(1, sizeof *connection);
  if (!connection) return NULL;
  if (open_connection(connection, store->path, false, true, store->cache_size, store->variant)) {
    free(connection);
    return NULL;
  }
  pthread_setspecific(store->readers, connection);
  return connection;
}

static enum peer_outcome locate(
  void *opened, const void *key, size_t key_size, const void **value, size_t *value_size
) {
  struct connection *connection = reader(opened);
  if (!connection) return peer_failed;
  // Where the value of the last call lay is given up now.
  sqlite3_reset(connection->get);
  sqlite3_bind_blob64(connection->get, 1, key, key_size, SQLITE_STATIC);
  int code = sqlite3_step(connection->get);
  if (code == SQLITE_ROW) {
    *value = sqlite3_column_blob(connection->get, 0);
    *value_size = (size_t)sqlite3_column_bytes(connection->get, 0);
    return peer_done;
  }
  enum peer_outcome outcome = code == SQLITE_DONE ? peer_missing : fail("get", connection->database);
  sqlite3_reset(connection->get);
  return outcome;
}

static enum peer_outcome get(
  void *opened, const void *key, size_t key_size, void *buffer, size_t capacity, size_t *value_size
) {
  const void *value;
  size_t size;
  enum peer_outcome outcome = locate(opened, key, key_size, &value, &size);
  if (outcome) return outcome;
  outcome = peer_give(value, size, buffer, capacity, value_size);
  sqlite3_reset(reader(opened)->get);
  return outcome;
}

static enum peer_outcome remove_key(void *opened, const void *key, size_t key_size) {
  struct store *store = opened;
  end_reading(&store->writer);
  sqlite3_bind_blob64(store->writer.remove, 1, key, key_size, SQLITE_STATIC);
  if (!step(store->writer.remove)) return fail("remove", store->writer.database);
  return sqlite3_changes(store->writer.database) > 0 ? peer_done : peer_missing;
}

static enum peer_outcome iterate(void *opened, peer_visitor visitor, void *context) {
  struct store *store = opened;
  sqlite3_stmt *all = store->writer.all;
  int code;
  while ((code = sqlite3_step(all)) == SQLITE_ROW) {
    visitor(
      context, sqlite3_column_blob(all, 0), (size_t)sqlite3_column_bytes(all, 0), sqlite3_column_blob(all, 1),
      (size_t)sqlite3_column_bytes(all, 1));
  }
  enum peer_outcome outcome = code == SQLITE_DONE ? peer_done : fail("iterate", store->writer.database);
  sqlite3_reset(all);
  return outcome;
}

static enum peer_outcome compact(void *opened) {
  struct store *store = opened;
  end_reading(&store->writer);
  const char *commands = "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);";
  int code = sqlite3_exec(store->writer.database, commands, NULL, NULL, NULL);
  return code == SQLITE_OK ? peer_done : fail("compact", store->writer.database);
}

// The files are synced beside the library, which does not sync while `synchronous` is off.
static enum peer_outcome sync_store(void *opened) {
  struct store *store = opened;
  static const char *suffixes[] = {"-wal", ""};
  for (int number = 0; number < 2; number++) {
    char path[4096 + 8];
    snprintf(path, sizeof path, "%s%s", store->path, suffixes[number]);
    int file = open(path, O_RDONLY);
    if (file < 0) continue;
    int code = fsync(file);
    close(file);
    if (code) return peer_fail("sync", strerror(errno));
  }
  return peer_done;
}

static enum peer_outcome settle(void *opened) {
  struct store *store = opened;
  end_reading(&store->writer);
  int code = sqlite3_exec(store->writer.database, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
  return code == SQLITE_OK ? peer_done : fail("checkpoint", store->writer.database);
}

static enum peer_outcome close_store(void *opened) {
  struct store *store = opened;
  struct connection *reader = pthread_getspecific(store->readers);
  if (reader) close_reader(reader);
  pthread_key_delete(store->readers);
  close_connection(&store->writer);
  pthread_mutex_destroy(&store->lock);
  free(store);
  return peer_done;
}

const struct peer_engine peer_sqlite = {
  .name = "SQLite",
  .version = version,
  .settings =
    "WAL; synchronous OFF where nothing waits for the disk, FULL where sets are synced.\n"
    "A cache of 512 MiB, or of a quarter of the memory where that is limited.\n"
    "Exclusive locking where one thread calls, which does without shared memory; else a connection for each"
    " thread that reads, and one for all that write.\n"
    "Statements are prepared once. Batches are transactions with sorted keys, single sets have one each.",
  .variant = variant_name,
  .chosen = 1,
  .sorts_batches = true,
  .open = open_store,
  .set = set,
  .set_many = set_many,
  .get = get,
  .locate = locate,
  .remove = remove_key,
  .iterate = iterate,
  .compact = compact,
  .sync = sync_store,
  .settle = settle,
  .close = close_store,
};
