#include "calls.h"

#include <string.h>

#define P(number) a[number].pointer
#define Z(number) a[number].size
#define TEXT(number) ((const char *)P(number))
#define S(number) ((sediment_store *)P(number))
#define C(number) ((sediment_collection *)P(number))
#define CH(number) ((const sediment_change *)P(number))
#define FN(type, number) ((type)a[number].function)

// One function that passes the arguments on.
#define CALL(name, ...) \
  static sediment_status make_##name(const argument *a) { return sediment_##name(__VA_ARGS__); }

CALL(open, TEXT(0), (const sediment_options *)P(1), (sediment_store **)P(2))
CALL(close, S(0))
CALL(get_recovery, S(0), (sediment_recovery *)P(1))
CALL(collection_open, S(0), TEXT(1), (sediment_collection **)P(2))
CALL(collection_close, C(0))
CALL(collection_names, S(0), FN(sediment_name_fn, 1), P(2))
CALL(set, C(0), P(1), Z(2), P(3), Z(4), CH(5))
CALL(set_if_absent, C(0), P(1), Z(2), P(3), Z(4), CH(5))
CALL(compare_and_set, C(0), P(1), Z(2), (const sediment_bytes *)P(3), (const sediment_bytes *)P(4), CH(5))
CALL(update, C(0), P(1), Z(2), CH(3), FN(sediment_update_fn, 4), P(5))
CALL(remove, C(0), P(1), Z(2), CH(3))
CALL(remove_all, C(0), CH(1))
CALL(set_expiry, C(0), P(1), Z(2), CH(3))
CALL(remove_everything, S(0), CH(1))
CALL(collection_drop, S(0), TEXT(1), CH(2))
CALL(sync, S(0))
CALL(sync_later, S(0), FN(sediment_sync_fn, 1), P(2))
CALL(batch_begin, S(0), (sediment_batch **)P(1))
CALL(batch_set, (sediment_batch *)P(0), C(1), P(2), Z(3), P(4), Z(5), CH(6))
CALL(batch_remove, (sediment_batch *)P(0), C(1), P(2), Z(3))
CALL(batch_commit, (sediment_batch *)P(0), CH(1))
CALL(batch_abandon, (sediment_batch *)P(0))
CALL(get, C(0), P(1), Z(2), P(3), Z(4), (size_t *)P(5))
CALL(get_copy, C(0), P(1), Z(2), (void **)P(3), (size_t *)P(4))
CALL(read, C(0), P(1), Z(2), FN(sediment_value_fn, 3), P(4))
CALL(pin, C(0), P(1), Z(2), (sediment_pinned *)P(3))
CALL(unpin, (sediment_pinned *)P(0))
CALL(contains, C(0), P(1), Z(2))
CALL(count, C(0), (uint64_t *)P(1))
CALL(get_expiry, C(0), P(1), Z(2), (uint64_t *)P(3))
CALL(get_many, C(0), (const sediment_bytes *)P(1), Z(2), (sediment_bytes *)P(3), (void **)P(4))
CALL(read_many, C(0), (const sediment_bytes *)P(1), Z(2), FN(sediment_values_fn, 3), P(4))
CALL(each, C(0), P(1), Z(2), a[3].flags, FN(sediment_entry_fn, 4), P(5))
CALL(iterate, C(0), P(1), Z(2), a[3].flags, (sediment_iteration **)P(4))
CALL(iteration_next, (sediment_iteration *)P(0), (sediment_bytes *)P(1), (sediment_bytes *)P(2))
CALL(iteration_end, (sediment_iteration *)P(0))
CALL(get_statistics, S(0), (sediment_statistics *)P(1))
CALL(each_compression, S(0), FN(sediment_compression_fn, 1), P(2))
CALL(each_segment, S(0), FN(sediment_segment_fn, 1), P(2))
CALL(compact, S(0), FN(sediment_progress_fn, 1), P(2))
CALL(backup, S(0), TEXT(1), FN(sediment_progress_fn, 2), P(3))
CALL(verify, TEXT(0), FN(sediment_progress_fn, 1), FN(sediment_finding_fn, 2), P(3), (sediment_verification *)P(4))
CALL(
    salvage, TEXT(0), TEXT(1), a[2].flags, FN(sediment_progress_fn, 3), FN(sediment_finding_fn, 4), P(5),
    (sediment_salvage_report *)P(6))
CALL(destroy, TEXT(0))

static int no_objection(void) { return SEDIMENT_CONTINUE; }
int (*callback_answer)(void) = no_objection;

// The callbacks read what they are given, so that a memory checker sees bytes that are not there.
static volatile unsigned seen;

static int see(const void *bytes, size_t size) {
  for (size_t number = 0; number < size; number++) seen += ((const unsigned char *)bytes)[number];
  return callback_answer();
}
static int see_text(const char *text) { return see(text, strlen(text)); }
static int see_bytes(const sediment_bytes *bytes) { return bytes == NULL ? callback_answer() : see(bytes->data, bytes->size); }

static int on_name(void *context, const char *name) { return (void)context, see_text(name); }
static void on_sync(void *context, int32_t status, const sediment_error *error) {
  (void)context;
  seen += (unsigned)status;
  if (error != NULL) (void)see_text(error->description);
}
static void on_value(void *context, const void *value, size_t size, uint64_t expires_at) {
  (void)context;
  seen += (unsigned)expires_at;
  (void)see(value, size);
}
static int on_update(void *context, const sediment_bytes *old, sediment_bytes *value) {
  (void)context;
  int answer = see_bytes(old);
  value->data = "new value";
  value->size = 9;
  return answer;
}
static int on_values(void *context, size_t number, const sediment_bytes *value, uint64_t expires_at) {
  (void)context;
  seen += (unsigned)(number + expires_at);
  return see_bytes(value);
}
static int on_entry(void *context, const sediment_bytes *key, const sediment_bytes *value) {
  (void)context;
  (void)see_bytes(key);
  return see_bytes(value);
}
static int on_compression(void *context, const char *name, const sediment_compression_figures *figures) {
  (void)context;
  seen += (unsigned)figures->values;
  return see_text(name);
}
static int on_segment(void *context, const sediment_segment *segment) { return (void)context, see(segment, segment->size); }
static int on_progress(void *context, uint64_t done, uint64_t total) {
  (void)context;
  return see(&done, sizeof done) + 0 * (int)total;
}
static int on_finding(void *context, const sediment_finding *finding) {
  (void)context;
  (void)see_text(finding->kind);
  return see_text(finding->message);
}

void (*const progress_callback)(void) = (void (*)(void))on_progress;

#define WITH(name, is_long, callback, ...) \
  { "sediment_" #name, make_##name, { __VA_ARGS__ }, is_long, (void (*)(void))callback }
#define ROW(name, is_long, ...) { "sediment_" #name, make_##name, { __VA_ARGS__ }, is_long, NULL }

const struct call calls[] = {
    ROW(open, 1, NEW_PATH, OPTIONS, OUT),
    ROW(close, 1, STORE),
    ROW(get_recovery, 0, STORE, RECOVERY),
    ROW(collection_open, 0, STORE, NAME, OUT),
    ROW(collection_close, 0, COLLECTION),
    WITH(collection_names, 0, on_name, STORE, CALLBACK, CONTEXT),
    ROW(set, 0, COLLECTION, KEY, KEY_SIZE, VALUE, VALUE_SIZE, CHANGE),
    ROW(set_if_absent, 0, COLLECTION, KEY, KEY_SIZE, VALUE, VALUE_SIZE, CHANGE),
    ROW(compare_and_set, 0, COLLECTION, KEY, KEY_SIZE, BYTES, BYTES, CHANGE),
    WITH(update, 0, on_update, COLLECTION, KEY, KEY_SIZE, CHANGE, CALLBACK, CONTEXT),
    ROW(remove, 0, COLLECTION, KEY, KEY_SIZE, CHANGE_OF_DURABILITY),
    ROW(remove_all, 0, COLLECTION, CHANGE_OF_DURABILITY),
    ROW(set_expiry, 0, COLLECTION, KEY, KEY_SIZE, CHANGE_NEEDED),
    ROW(remove_everything, 0, STORE, CHANGE_OF_DURABILITY),
    ROW(collection_drop, 0, STORE, NAME, CHANGE_OF_DURABILITY),
    ROW(sync, 1, STORE),
    WITH(sync_later, 1, on_sync, STORE, CALLBACK, CONTEXT),
    ROW(batch_begin, 0, STORE, OUT),
    ROW(batch_set, 0, BATCH, COLLECTION, KEY, KEY_SIZE, VALUE, VALUE_SIZE, CHANGE_OF_EXPIRY),
    ROW(batch_remove, 0, BATCH, COLLECTION, KEY, KEY_SIZE),
    ROW(batch_commit, 0, BATCH, CHANGE_OF_DURABILITY),
    ROW(batch_abandon, 0, BATCH),
    ROW(get, 0, COLLECTION, KEY, KEY_SIZE, BUFFER, BUFFER_SIZE, OUT),
    ROW(get_copy, 0, COLLECTION, KEY, KEY_SIZE, OUT, OUT),
    WITH(read, 0, on_value, COLLECTION, KEY, KEY_SIZE, CALLBACK, CONTEXT),
    ROW(pin, 0, COLLECTION, KEY, KEY_SIZE, OUT),
    ROW(unpin, 0, PINNED),
    ROW(contains, 0, COLLECTION, KEY, KEY_SIZE),
    ROW(count, 0, COLLECTION, OUT),
    ROW(get_expiry, 0, COLLECTION, KEY, KEY_SIZE, OUT),
    ROW(get_many, 0, COLLECTION, KEYS, COUNT, OUT, OUT),
    WITH(read_many, 0, on_values, COLLECTION, KEYS, COUNT, CALLBACK, CONTEXT),
    WITH(each, 0, on_entry, COLLECTION, KEY, KEY_SIZE, FLAGS_EACH, CALLBACK, CONTEXT),
    ROW(iterate, 0, COLLECTION, KEY, KEY_SIZE, FLAGS_ITERATE, OUT),
    ROW(iteration_next, 0, ITERATION, OUT, CONTEXT),
    ROW(iteration_end, 0, ITERATION),
    ROW(get_statistics, 0, STORE, STATISTICS),
    WITH(each_compression, 0, on_compression, STORE, CALLBACK, CONTEXT),
    WITH(each_segment, 0, on_segment, STORE, CALLBACK, CONTEXT),
    ROW(compact, 1, STORE, PROGRESS, CONTEXT),
    ROW(backup, 1, STORE, NEW_PATH, PROGRESS, CONTEXT),
    WITH(verify, 1, on_finding, PATH, PROGRESS, MAYBE_CALLBACK, CONTEXT, VERIFICATION),
    WITH(salvage, 1, on_finding, PATH, NEW_PATH, FLAGS_SALVAGE, PROGRESS, MAYBE_CALLBACK, CONTEXT, MAYBE_SALVAGE_REPORT),
    ROW(destroy, 1, PATH),
};

const int call_count = (int)(sizeof calls / sizeof calls[0]);
