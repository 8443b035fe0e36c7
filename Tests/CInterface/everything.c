// Uses every function as it is meant.
#include "check.h"

static int count_names(void *context, const char *name) {
  CHECK(strcmp(name, "users") == 0 || strcmp(name, "sessions") == 0);
  ++*(int *)context;
  return SEDIMENT_CONTINUE;
}

static void collections(sediment_store *store) {
  sediment_collection *users = NULL, *again = NULL, *sessions = NULL;
  int count = 0;
  OK(sediment_collection_open(store, "users", &users));
  OK(sediment_collection_open(store, "users", &again));
  OK(sediment_collection_open(store, "sessions", &sessions));
  OK(set_text(users, "1", "Ada"));
  CHECK(has_text(again, "1", "Ada"));
  IS(sediment_contains(sediment_default_collection(store), "1", 1), SEDIMENT_ABSENT);
  OK(sediment_collection_names(store, count_names, &count));
  CHECK(count == 2);
  OK(sediment_collection_drop(store, "sessions", NULL));
  IS(sediment_collection_drop(store, "sessions", NULL), SEDIMENT_ABSENT);
  IS(set_text(sessions, "1", "x"), SEDIMENT_COLLECTION_DROPPED);
  OK(sediment_remove_all(users, NULL));
  IS(sediment_contains(users, "1", 1), SEDIMENT_ABSENT);
  OK(sediment_collection_close(users));
  CHECK(sediment_contains(users, "1", 1) == SEDIMENT_CLOSED);
  OK(sediment_collection_close(again));
  OK(sediment_collection_close(sessions));
}

static int append_letter(void *context, const sediment_bytes *old, sediment_bytes *value) {
  char *text = (char *)context;
  size_t size = old == NULL ? 0 : old->size;
  if (old != NULL) memcpy(text, old->data, size);
  text[size] = 'x';
  value->data = text;
  value->size = size + 1;
  return size < 3 ? SEDIMENT_UPDATE_SET : size == 3 ? SEDIMENT_UPDATE_REMOVE : SEDIMENT_UPDATE_CANCEL;
}

static void changes(sediment_collection *keys) {
  const sediment_bytes one = { "one", 3 }, two = { "two", 3 };
  sediment_change change = SEDIMENT_CHANGE_INIT;
  uint64_t expires_at = 1;
  char text[32];
  OK(sediment_set_if_absent(keys, "a", 1, "one", 3, NULL));
  IS(sediment_set_if_absent(keys, "a", 1, "two", 3, NULL), SEDIMENT_UNCHANGED);
  IS(sediment_compare_and_set(keys, "a", 1, &two, &one, NULL), SEDIMENT_UNCHANGED);
  OK(sediment_compare_and_set(keys, "a", 1, &one, &two, NULL));
  CHECK(has_text(keys, "a", "two"));
  OK(sediment_compare_and_set(keys, "a", 1, &two, NULL, NULL));
  OK(sediment_compare_and_set(keys, "a", 1, NULL, &one, NULL));
  OK(sediment_remove(keys, "a", 1, NULL));
  IS(sediment_remove(keys, "a", 1, NULL), SEDIMENT_ABSENT);
  for (int round = 0; round < 4; round++) OK(sediment_update(keys, "u", 1, NULL, append_letter, text));
  IS(sediment_contains(keys, "u", 1), SEDIMENT_ABSENT);
  OK(set_text(keys, "u", "long enough"));
  IS(sediment_update(keys, "u", 1, NULL, append_letter, text), SEDIMENT_CANCELLED);
  CHECK(has_text(keys, "u", "long enough"));
  change.durability = SEDIMENT_SYNCED;
  change.expiry = SEDIMENT_EXPIRY_AFTER;
  change.expiry_time = 60000;
  OK(sediment_set(keys, "e", 1, "v", 1, &change));
  OK(sediment_get_expiry(keys, "e", 1, &expires_at));
  CHECK(expires_at > 1600000000000u);
  change.expiry = SEDIMENT_EXPIRY_NEVER;
  change.expiry_time = 0;
  OK(sediment_set_expiry(keys, "e", 1, &change));
  OK(sediment_get_expiry(keys, "e", 1, &expires_at));
  CHECK(expires_at == 0);
  change.expiry = SEDIMENT_EXPIRY_AT;
  change.expiry_time = 1;
  OK(sediment_set_expiry(keys, "e", 1, &change));
  IS(sediment_contains(keys, "e", 1), SEDIMENT_ABSENT);
  IS(sediment_get_expiry(keys, "e", 1, &expires_at), SEDIMENT_ABSENT);
  OK(sediment_remove_all(keys, NULL));
}

static void take_value(void *context, const void *value, size_t value_size, uint64_t expires_at) {
  CHECK(value_size == 5 && memcmp(value, "value", 5) == 0 && expires_at == 0);
  ++*(int *)context;
}

static int take_values(void *context, size_t number, const sediment_bytes *value, uint64_t expires_at) {
  CHECK(expires_at == 0 && (number == 1) == (value == NULL));
  ++*(int *)context;
  return number == 1 ? SEDIMENT_STOP : SEDIMENT_CONTINUE;
}

static void reads(sediment_collection *keys) {
  const sediment_bytes wanted[3] = { { "key", 3 }, { "none", 4 }, { "empty", 5 } };
  sediment_bytes values[3];
  sediment_pinned pinned;
  char buffer[5];
  void *copy = NULL, *large = malloc(1000000);
  size_t size = 99;
  int count = 0;
  CHECK(large != NULL);
  OK(set_text(keys, "key", "value"));
  OK(sediment_set(keys, "empty", 5, NULL, 0, NULL));
  OK(sediment_get(keys, "key", 3, buffer, 5, &size));
  CHECK(size == 5 && memcmp(buffer, "value", 5) == 0);
  IS(sediment_get(keys, "key", 3, buffer, 4, &size), SEDIMENT_SHORT);
  CHECK(size == 5);
  IS(sediment_get(keys, "none", 4, buffer, 4, &size), SEDIMENT_ABSENT);
  OK(sediment_get_copy(keys, "key", 3, &copy, &size));
  CHECK(size == 5 && strcmp((char *)copy, "value") == 0);
  sediment_free(copy);
  OK(sediment_get_copy(keys, "empty", 5, &copy, &size));
  CHECK(size == 0 && copy != NULL);
  sediment_free(copy);
  OK(sediment_read(keys, "key", 3, take_value, &count));
  IS(sediment_read(keys, "none", 4, take_value, &count), SEDIMENT_ABSENT);
  CHECK(count == 1);
  OK(sediment_get_many(keys, wanted, 3, values, &copy));
  CHECK(values[0].size == 5 && memcmp(values[0].data, "value", 5) == 0 && values[1].data == NULL);
  CHECK(values[2].data != NULL && values[2].size == 0);
  sediment_free(copy);
  count = 0;
  OK(sediment_read_many(keys, wanted, 3, take_values, &count));
  CHECK(count == 2);
  IS(sediment_pin(keys, "none", 4, &pinned), SEDIMENT_ABSENT);
  OK(sediment_pin(keys, "key", 3, &pinned));
  OK(set_text(keys, "key", "other"));
  CHECK(pinned.size == 5 && memcmp(pinned.data, "value", 5) == 0);
  OK(sediment_unpin(&pinned));
  memset(large, 'l', 1000000);
  OK(sediment_set(keys, "large", 5, large, 1000000, NULL));
  OK(sediment_pin(keys, "large", 5, &pinned));
  CHECK(pinned.size == 1000000 && memcmp(pinned.data, large, 1000000) == 0);
  OK(sediment_unpin(&pinned));
  free(large);
  OK(sediment_remove_all(keys, NULL));
}

static void batches(sediment_store *store, sediment_collection *keys) {
  sediment_batch *batch = NULL;
  sediment_change change = SEDIMENT_CHANGE_INIT;
  OK(set_text(keys, "old", "value"));
  OK(sediment_batch_begin(store, &batch));
  OK(sediment_batch_set(batch, keys, "new", 3, "value", 5, NULL));
  OK(sediment_batch_remove(batch, keys, "old", 3));
  IS(sediment_contains(keys, "new", 3), SEDIMENT_ABSENT);
  change.durability = SEDIMENT_SYNCED;
  OK(sediment_batch_commit(batch, &change));
  CHECK(has_text(keys, "new", "value"));
  IS(sediment_contains(keys, "old", 3), SEDIMENT_ABSENT);
  IS(sediment_batch_commit(batch, NULL), SEDIMENT_CLOSED);
  OK(sediment_batch_begin(store, &batch));
  OK(sediment_batch_remove(batch, keys, "new", 3));
  OK(sediment_batch_abandon(batch));
  OK(sediment_remove(keys, "new", 3, NULL));
}

// What a batch refuses, its commit refuses, too.
static void refused_batches(sediment_store *store, sediment_collection *keys) {
  static char long_key[65536];
  sediment_collection *other = NULL;
  sediment_batch *batch = NULL;
  for (int round = 0; round < 2; round++) {
    int refusal = round == 0 ? SEDIMENT_TOO_LARGE : SEDIMENT_CLOSED;
    OK(sediment_collection_open(store, "other", &other));
    OK(sediment_batch_begin(store, &batch));
    OK(sediment_batch_set(batch, keys, "a", 1, "1", 1, NULL));
    OK(sediment_collection_close(other));
    if (round == 0) IS(sediment_batch_set(batch, keys, long_key, sizeof long_key, "2", 1, NULL), refusal);
    if (round == 1) IS(sediment_batch_remove(batch, other, "b", 1), refusal);
    IS(sediment_batch_set(batch, keys, "c", 1, "3", 1, NULL), refusal);
    IS(sediment_batch_commit(batch, NULL), refusal);
    IS(sediment_batch_commit(batch, NULL), SEDIMENT_CLOSED);
    IS(sediment_contains(keys, "a", 1), SEDIMENT_ABSENT);
  }
  // What breaks the rules of the header was never part of it.
  OK(sediment_batch_begin(store, &batch));
  IS(sediment_batch_set(batch, keys, NULL, 1, "2", 1, NULL), SEDIMENT_MISUSE);
  OK(sediment_batch_set(batch, keys, "a", 1, "1", 1, NULL));
  OK(sediment_batch_commit(batch, NULL));
  OK(sediment_remove(keys, "a", 1, NULL));
  OK(sediment_collection_drop(store, "other", NULL));
}

// Walks and batches that a store or a collection has left behind say so, whatever they have copied.
static void left_behind(void) {
  const uint32_t flags[] = { 0, SEDIMENT_KEYS_ONLY, SEDIMENT_SORTED, SEDIMENT_SORTED | SEDIMENT_KEYS_ONLY };
  const char *path = in_folder("left.sediment");
  for (int drops = 0; drops < 2; drops++) {
    int refusal = drops ? SEDIMENT_COLLECTION_DROPPED : SEDIMENT_CLOSED;
    sediment_store *store = NULL;
    sediment_collection *named = NULL;
    sediment_batch *batch = NULL;
    sediment_iteration *walks[4];
    sediment_bytes key;
    OK(sediment_open(path, NULL, &store));
    OK(sediment_collection_open(store, "named", &named));
    OK(set_text(named, "a", "1"));
    OK(set_text(named, "b", "2"));
    OK(sediment_batch_begin(store, &batch));
    for (int number = 0; number < 4; number++) {
      OK(sediment_iterate(named, NULL, 0, flags[number], &walks[number]));
      OK(sediment_iteration_next(walks[number], &key, NULL));
    }
    if (drops) OK(sediment_collection_drop(store, "named", NULL));
    if (!drops) OK(sediment_close(store));
    for (int number = 0; number < 4; number++) {
      IS(sediment_iteration_next(walks[number], &key, NULL), refusal);
      OK(sediment_iteration_end(walks[number]));
    }
    IS(sediment_batch_set(batch, named, "k", 1, "v", 1, NULL), refusal);
    IS(sediment_batch_commit(batch, NULL), refusal);
    OK(sediment_collection_close(named));
    if (drops) OK(sediment_close(store));
  }
  OK(sediment_destroy(path));
}

static int count_entries(void *context, const sediment_bytes *key, const sediment_bytes *value) {
  CHECK(key->size == 5 && (value == NULL || (value->size == 5 && memcmp(value->data, key->data, 5) == 0)));
  ++*(int *)context;
  return SEDIMENT_CONTINUE;
}

static int walk(sediment_collection *keys, const char *prefix, uint32_t flags) {
  sediment_iteration *iteration = NULL;
  sediment_bytes key, value;
  char last[6] = "";
  int count = 0, status;
  OK(sediment_iterate(keys, prefix, strlen(prefix), flags, &iteration));
  while ((status = sediment_iteration_next(iteration, &key, &value)) == SEDIMENT_OK) {
    CHECK(key.size == 5 && memcmp(key.data, prefix, strlen(prefix)) == 0);
    CHECK((flags & SEDIMENT_KEYS_ONLY) != 0 ? value.data == NULL : memcmp(value.data, key.data, 5) == 0);
    CHECK((flags & SEDIMENT_SORTED) == 0 || memcmp(last, key.data, 5) < 0);
    memcpy(last, key.data, 5);
    count++;
  }
  IS(status, SEDIMENT_END);
  IS(sediment_iteration_next(iteration, &key, NULL), SEDIMENT_END);
  OK(sediment_iteration_end(iteration));
  return count;
}

static void walks(sediment_collection *keys) {
  int count = 0;
  uint64_t counted = 0;
  char key[16];
  for (int number = 0; number < 5000; number++) {
    snprintf(key, sizeof key, "%c%04d", number < 2000 ? 'a' : 'b', number);
    OK(sediment_set(keys, key, 5, key, 5, NULL));
  }
  OK(sediment_count(keys, &counted));
  CHECK(counted == 5000);
  OK(sediment_each(keys, NULL, 0, 0, count_entries, &count));
  OK(sediment_each(keys, "a", 1, 0, count_entries, &count));
  OK(sediment_each(keys, "b", 1, SEDIMENT_KEYS_ONLY, count_entries, &count));
  CHECK(count == 10000);
  CHECK(walk(keys, "", 0) == 5000 && walk(keys, "a", SEDIMENT_KEYS_ONLY) == 2000);
  CHECK(walk(keys, "b", SEDIMENT_SORTED) == 3000 && walk(keys, "c", SEDIMENT_SORTED | SEDIMENT_KEYS_ONLY) == 0);
}

static int progress_calls = 0;
static int on_progress(void *context, uint64_t done, uint64_t total) {
  progress_calls++;
  CHECK(done <= total);
  return *(int *)context;
}

static int on_finding(void *context, const sediment_finding *finding) {
  CHECK(finding->size == sizeof *finding && finding->message[0] != 0);
  ++*(int *)context;
  return SEDIMENT_CONTINUE;
}

static int on_segment(void *context, const sediment_segment *segment) {
  CHECK(segment->size == sizeof *segment && segment->bytes > 0);
  ++*(int *)context;
  return SEDIMENT_CONTINUE;
}

static int on_compression(void *context, const char *name, const sediment_compression_figures *figures) {
  CHECK(name[0] == 0 || strcmp(name, "users") == 0 || strcmp(name, "sessions") == 0);
  *(uint64_t *)context += figures->values;
  return SEDIMENT_CONTINUE;
}

static void figures(sediment_store *store) {
  sediment_statistics statistics = SEDIMENT_STATISTICS_INIT;
  sediment_recovery recovery = SEDIMENT_RECOVERY_INIT;
  uint64_t values = 0;
  int segments = 0;
  OK(sediment_get_statistics(store, &statistics));
  CHECK(statistics.live_keys == 5000 && statistics.collections == 1 && statistics.write_amplification >= 1);
  OK(sediment_get_recovery(store, &recovery));
  CHECK(recovery.is_durable == 1 && recovery.cut_reason == NULL && recovery.nanoseconds > 0);
  OK(sediment_each_segment(store, on_segment, &segments));
  CHECK((uint64_t)segments == statistics.segments);
  OK(sediment_each_compression(store, on_compression, &values));
  CHECK(values == statistics.compression.values && values > 5000);
}

static void files(sediment_store *store, const char *path) {
  sediment_verification found = SEDIMENT_VERIFICATION_INIT;
  sediment_salvage_report saved = SEDIMENT_SALVAGE_INIT;
  const char *copy = in_folder("copy.sediment");
  int step = SEDIMENT_STOP, findings = 0;
  IS(sediment_backup(store, copy, on_progress, &step), SEDIMENT_CANCELLED);
  step = 77;
  IS(sediment_backup(store, copy, on_progress, &step), SEDIMENT_MISUSE);
  step = SEDIMENT_CONTINUE;
  OK(sediment_backup(store, copy, on_progress, &step));
  IS(sediment_backup(store, copy, NULL, NULL), SEDIMENT_EXISTS);
  CHECK(progress_calls > 2);
  OK(sediment_compact(store, on_progress, &step));
  const char *live = in_folder("live.sediment");
  OK(sediment_backup_live(store, live, on_progress, &step));
  IS(sediment_backup_live(store, live, NULL, NULL), SEDIMENT_EXISTS);
  OK(sediment_destroy(live));
  OK(sediment_compact_erasing(store, on_progress, &step));
  IS(sediment_verify(path, NULL, NULL, NULL, &found), SEDIMENT_LOCKED);
  OK(sediment_verify(copy, NULL, on_finding, &findings, &found));
  CHECK(found.is_intact == 1 && (int)found.findings == findings && found.damages == 0);
  // A copy with a damaged byte.
  FILE *file = fopen(copy, "r+b");
  CHECK(file != NULL && fseek(file, 3 * 16384 + 5000, SEEK_SET) == 0);
  CHECK(fputc('!', file) == '!' && fputc('?', file) == '?' && fclose(file) == 0);
  OK(sediment_verify(copy, NULL, on_finding, &findings, &found));
  CHECK(found.is_intact == 0 && found.damages > 0 && findings > 0);
  OK(sediment_salvage(copy, in_folder("saved.sediment"), 0, NULL, on_finding, &findings, &saved));
  CHECK(saved.is_complete == 0 && saved.keys > 4000);
  OK(sediment_destroy(copy));
  IS(sediment_destroy(copy), SEDIMENT_NOT_FOUND);
}

struct events {
  int counts[8];
};

static void on_event(void *context, const sediment_event *event) {
  CHECK(event->size == sizeof *event && event->kind >= 1 && event->kind <= 6);
  CHECK((event->recovery != NULL) == (event->kind == SEDIMENT_EVENT_RECOVERED));
  __atomic_fetch_add(&((struct events *)context)->counts[event->kind], 1, __ATOMIC_SEQ_CST);
}

static void on_synced(void *context, int32_t status, const sediment_error *error) {
  CHECK(status == SEDIMENT_OK && error == NULL);
  __atomic_store_n((int *)context, 1, __ATOMIC_SEQ_CST);
}

int main(void) {
  static struct events events;
  sediment_options options = SEDIMENT_OPTIONS_INIT;
  sediment_store *store = NULL;
  const char *path = in_folder("everything.sediment");
  static int is_synced = 0;
  CHECK(sediment_version_number() == SEDIMENT_VERSION_NUMBER);
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", SEDIMENT_VERSION_NUMBER / 1000000, SEDIMENT_VERSION_NUMBER / 1000 % 1000,
           SEDIMENT_VERSION_NUMBER % 1000);
  CHECK(strcmp(version, sediment_version()) == 0);
  CHECK(strlen(sediment_format_version()) > 0 && strlen(sediment_zstd_version()) > 0);
  options.flags = SEDIMENT_MUST_EXIST;
  IS(sediment_open(path, &options, &store), SEDIMENT_NOT_FOUND);
  CHECK(strcmp(sediment_last_error()->path, path) == 0 && sediment_last_error()->system_error != 0);
  options.flags = 0;
  options.observer = on_event;
  options.observer_context = &events;
  OK(sediment_open(path, &options, &store));
  collections(store);
  changes(sediment_default_collection(store));
  reads(sediment_default_collection(store));
  batches(store, sediment_default_collection(store));
  refused_batches(store, sediment_default_collection(store));
  left_behind();
  walks(sediment_default_collection(store));
  figures(store);
  files(store, path);
  OK(sediment_sync(store));
  OK(sediment_sync_later(store, on_synced, &is_synced));
  OK(sediment_remove_everything(store, NULL));
  OK(sediment_close(store));
  CHECK(__atomic_load_n(&is_synced, __ATOMIC_SEQ_CST) == 1);
  options.flags = SEDIMENT_READ_ONLY_ACCESS;
  OK(sediment_open(path, &options, &store));
  IS(set_text(sediment_default_collection(store), "key", "value"), SEDIMENT_READ_ONLY);
  OK(sediment_close(store));
  CHECK(events.counts[SEDIMENT_EVENT_RECOVERED] >= 1 && events.counts[SEDIMENT_EVENT_SYNCED] >= 1);
  OK(sediment_destroy(path));
  printf("everything: every function does what it is for\n");
  return 0;
}
