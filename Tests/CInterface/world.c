#include "world.h"

void make_world(struct world *world) {
  memset(world, 0, sizeof *world);
  snprintf(world->path, sizeof world->path, "%s", in_folder("open.sediment"));
  snprintf(world->closed_path, sizeof world->closed_path, "%s", in_folder("closed.sediment"));
  snprintf(world->new_path, sizeof world->new_path, "%s", in_folder("new.sediment"));
  OK(sediment_open(world->closed_path, NULL, &world->closed_store));
  OK(set_text(sediment_default_collection(world->closed_store), "key", "value"));
  OK(sediment_collection_open(world->closed_store, "names", &world->closed_collection));
  OK(sediment_batch_begin(world->closed_store, &world->closed_batch));
  OK(sediment_iterate(world->closed_collection, NULL, 0, 0, &world->closed_iteration));
  OK(sediment_pin(sediment_default_collection(world->closed_store), "key", 3, &world->pinned));
  world->unpinned = world->pinned;
  OK(sediment_unpin(&world->pinned));
  OK(sediment_iteration_end(world->closed_iteration));
  OK(sediment_batch_abandon(world->closed_batch));
  OK(sediment_collection_close(world->closed_collection));
  OK(sediment_close(world->closed_store));
  OK(sediment_open(world->path, NULL, &world->store));
  OK(sediment_collection_open(world->store, "names", &world->collection));
  OK(set_text(world->collection, "key", "value"));
  OK(set_text(world->collection, "", ""));
  OK(sediment_batch_begin(world->store, &world->batch));
  OK(sediment_iterate(world->collection, NULL, 0, 0, &world->iteration));
  OK(sediment_pin(world->collection, "key", 3, &world->pinned));
}

void end_world(struct world *world) {
  OK(sediment_unpin(&world->pinned));
  OK(sediment_iteration_end(world->iteration));
  OK(sediment_batch_abandon(world->batch));
  OK(sediment_collection_close(world->collection));
  OK(sediment_close(world->store));
  OK(sediment_destroy(world->path));
  OK(sediment_destroy(world->closed_path));
}

static argument pointer(const void *value) {
  argument result;
  memset(&result, 0, sizeof result);
  result.pointer = (void *)(uintptr_t)value;
  return result;
}

static argument number(size_t value) {
  argument result;
  memset(&result, 0, sizeof result);
  result.size = value;
  return result;
}

static argument flag_bits(uint32_t value) {
  argument result;
  memset(&result, 0, sizeof result);
  result.flags = value;
  return result;
}

static argument function(void (*value)(void)) {
  argument result;
  memset(&result, 0, sizeof result);
  result.function = value;
  return result;
}

argument good_argument(struct world *world, const struct call *call, int place) {
  static uint64_t results[ARGUMENTS_MAX][64];
  static char buffer[64];
  static sediment_bytes bytes = { "value", 5 };
  static sediment_bytes keys[2] = { { "key", 3 }, { "other", 5 } };
  static sediment_change change = SEDIMENT_CHANGE_INIT;
  static sediment_recovery recovery = SEDIMENT_RECOVERY_INIT;
  static sediment_statistics statistics = SEDIMENT_STATISTICS_INIT;
  static sediment_verification verification = SEDIMENT_VERIFICATION_INIT;
  static sediment_salvage_report salvage = SEDIMENT_SALVAGE_INIT;
  switch (call->kinds[place]) {
    case STORE: return pointer(world->store);
    case COLLECTION: return pointer(world->collection);
    case BATCH: return pointer(world->batch);
    case ITERATION: return pointer(world->iteration);
    case KEY: return pointer("key");
    case KEY_SIZE: return number(3);
    case VALUE: return pointer("value");
    case VALUE_SIZE: return number(5);
    case BUFFER: return pointer(buffer);
    case BUFFER_SIZE: return number(sizeof buffer);
    case BYTES: return pointer(&bytes);
    case KEYS: return pointer(keys);
    case COUNT: return number(2);
    case PINNED: return pointer(&world->pinned);
    case OUT: return pointer(results[place]);
    case CALLBACK:
    case MAYBE_CALLBACK: return function(call->callback);
    case PROGRESS: return function(progress_callback);
    case PATH: return pointer(world->closed_path);
    case NEW_PATH: return pointer(world->new_path);
    case NAME: return pointer("names");
    case CHANGE_NEEDED:
      change.expiry = SEDIMENT_EXPIRY_NEVER;
      return pointer(&change);
    case RECOVERY: return pointer(&recovery);
    case STATISTICS: return pointer(&statistics);
    case VERIFICATION: return pointer(&verification);
    case MAYBE_SALVAGE_REPORT: return pointer(&salvage);
    default: return pointer(NULL);
  }
}

// The list that is being written.
static struct bad_argument *list;
static int count;

static void bad(argument value, int status, const char *what) {
  list[count].value = value;
  list[count].status = status;
  list[count++].what = what;
}

// Handles that are none of a kind, and the closed one.
static void bad_handles(struct world *world, enum argument_kind kind, const void *closed) {
  static const uint64_t memory[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  const uintptr_t open = (uintptr_t)world->store;
  bad(pointer(NULL), SEDIMENT_MISUSE, "null");
  bad(pointer(closed), SEDIMENT_CLOSED, "closed");
  bad(pointer(memory), SEDIMENT_MISUSE, "memory");
  bad(pointer((void *)(uintptr_t)1), SEDIMENT_MISUSE, "the number 1");
  bad(pointer((void *)UINTPTR_MAX), SEDIMENT_MISUSE, "all ones");
  bad(pointer((void *)(open ^ 0x0FFF0000)), SEDIMENT_MISUSE, "a handle with another place");
  if (kind != STORE) bad(pointer(world->store), SEDIMENT_MISUSE, "a store");
  if (kind != COLLECTION) bad(pointer(world->collection), SEDIMENT_MISUSE, "a collection");
  if (kind != BATCH) bad(pointer(world->batch), SEDIMENT_MISUSE, "a batch");
  if (kind != ITERATION) bad(pointer(world->iteration), SEDIMENT_MISUSE, "an iteration");
  bad(pointer((void *)world->pinned.token), SEDIMENT_MISUSE, "a pinned value");
}

static void bad_sizes(size_t limit) {
  bad(number(limit + 1), SEDIMENT_TOO_LARGE, "a size above the limit");
  bad(number(SIZE_MAX), SEDIMENT_TOO_LARGE, "the largest size");
  bad(number(SIZE_MAX / 2), SEDIMENT_TOO_LARGE, "half the largest size");
  bad(number(SIZE_MAX / 2 + 1), SEDIMENT_TOO_LARGE, "more than half the largest size");
}

// A structure that is right but for its size.
static void bad_structures(const void *good, size_t size) {
  static const char *const names[] = { "no size", "one less", "one more", "the largest size" };
  static uint64_t copies[16][64];
  static int next = 0;
  const size_t sizes[] = { 0, size - 1, size + 1, SIZE_MAX };
  for (int place = 0; place < 4; place++) {
    uint64_t *copy = copies[next++ % 16];
    memcpy(copy, good, size);
    memcpy(copy, &sizes[place], sizeof sizes[place]);
    bad(pointer(copy), SEDIMENT_MISUSE, names[place]);
  }
}

static void bad_change(int32_t durability, int64_t interval, int32_t expiry, int64_t time, const char *what) {
  static sediment_change changes[32];
  static int next = 0;
  sediment_change *change = &changes[next++ % 32];
  change->size = sizeof *change;
  change->durability = durability;
  change->interval = interval;
  change->expiry = expiry;
  change->expiry_time = time;
  bad(pointer(change), SEDIMENT_MISUSE, what);
}

static void bad_changes(enum argument_kind kind) {
  static const sediment_change good = SEDIMENT_CHANGE_INIT;
  bad_structures(&good, sizeof good);
  bad_change(9, 0, 0, 0, "an unknown durability");
  bad_change(SEDIMENT_INTERVAL, 0, 0, 0, "an interval of 0");
  bad_change(SEDIMENT_SYNCED, 5, 0, 0, "an interval with another durability");
  bad_change(0, 0, -3, 0, "an unknown expiry");
  bad_change(0, 0, SEDIMENT_EXPIRY_AT, 0, "the time 0");
  bad_change(0, 0, SEDIMENT_EXPIRY_AT, INT64_MIN, "a negative time");
  bad_change(0, 0, SEDIMENT_EXPIRY_NEVER, 5, "a time with no expiry");
  if (kind == CHANGE_OF_DURABILITY) bad_change(0, 0, SEDIMENT_EXPIRY_NEVER, 0, "an expiry");
  if (kind == CHANGE_OF_EXPIRY) bad_change(SEDIMENT_SYNCED, 0, 0, 0, "a durability");
  if (kind == CHANGE_OF_EXPIRY) bad_change(0, 0, SEDIMENT_EXPIRY_UNCHANGED, 0, "the expiry as it is");
  if (kind == CHANGE_NEEDED) bad_change(0, 0, 0, 0, "no expiry");
  if (kind == CHANGE_NEEDED) bad(pointer(NULL), SEDIMENT_MISUSE, "null");
}

// Options with one field changed.
#define BAD_OPTIONS(field, value, wanted) \
  do { \
    sediment_options *options = &changed[next++]; \
    *options = good; \
    options->field = value; \
    bad(pointer(options), wanted, #field " = " #value); \
  } while (0)

static void bad_options(void) {
  static const sediment_options good = SEDIMENT_OPTIONS_INIT;
  static sediment_options changed[32];
  int next = 0;
  bad_structures(&good, sizeof good);
  BAD_OPTIONS(version, 0, SEDIMENT_MISUSE);
  BAD_OPTIONS(version, SEDIMENT_VERSION_NUMBER + 1000, SEDIMENT_VERSION_MISMATCH);
  BAD_OPTIONS(version, SEDIMENT_VERSION_NUMBER + 1000000, SEDIMENT_VERSION_MISMATCH);
  BAD_OPTIONS(version, UINT32_MAX, SEDIMENT_VERSION_MISMATCH);
  BAD_OPTIONS(flags, UINT32_C(1) << 31, SEDIMENT_MISUSE);
  BAD_OPTIONS(flags, 32, SEDIMENT_MISUSE);
  BAD_OPTIONS(durability, -1, SEDIMENT_MISUSE);
  BAD_OPTIONS(durability, 4, SEDIMENT_MISUSE);
  BAD_OPTIONS(durability, SEDIMENT_INTERVAL, SEDIMENT_MISUSE);
  BAD_OPTIONS(interval, 5, SEDIMENT_MISUSE);
  BAD_OPTIONS(interval, INT64_MIN, SEDIMENT_MISUSE);
  BAD_OPTIONS(capacity, 3, SEDIMENT_MISUSE);
  BAD_OPTIONS(capacity_bytes, 1 << 20, SEDIMENT_MISUSE);
  BAD_OPTIONS(compaction, INT32_MIN, SEDIMENT_MISUSE);
  BAD_OPTIONS(compression, 3, SEDIMENT_MISUSE);
  BAD_OPTIONS(compression, SEDIMENT_COMPRESSION_ZSTD, SEDIMENT_MISUSE);
  BAD_OPTIONS(compression_level, 5, SEDIMENT_MISUSE);
  BAD_OPTIONS(mode, 0477, SEDIMENT_MISUSE);
  BAD_OPTIONS(mode, 01600, SEDIMENT_MISUSE);
}

static void bad_texts(void) {
  bad(pointer(NULL), SEDIMENT_MISUSE, "null");
  bad(pointer("\xff\xfe"), SEDIMENT_MISUSE, "bytes that are no UTF-8");
}

static void bad_pinned(struct world *world) {
  static sediment_pinned none, closed, invented, other;
  closed = world->unpinned;
  invented.token = UINTPTR_MAX;
  other.token = (uintptr_t)world->store;
  bad(pointer(NULL), SEDIMENT_MISUSE, "null");
  bad(pointer(&none), SEDIMENT_MISUSE, "no token");
  bad(pointer(&closed), SEDIMENT_CLOSED, "unpinned before");
  bad(pointer(&invented), SEDIMENT_MISUSE, "an invented token");
  bad(pointer(&other), SEDIMENT_MISUSE, "a store");
}

int bad_arguments(struct world *world, enum argument_kind kind, struct bad_argument *into) {
  static const sediment_bytes no_bytes = { NULL, 3 }, long_bytes = { "value", SIZE_MAX };
  static const sediment_bytes no_keys[2] = { { "key", 3 }, { NULL, 1 } }, long_keys[2] = { { "key", 65536 }, { "k", 1 } };
  static const sediment_recovery recovery = SEDIMENT_RECOVERY_INIT;
  static const sediment_statistics statistics = SEDIMENT_STATISTICS_INIT;
  static const sediment_verification verification = SEDIMENT_VERIFICATION_INIT;
  static const sediment_salvage_report salvage = SEDIMENT_SALVAGE_INIT;
  list = into;
  count = 0;
  switch (kind) {
    case STORE: bad_handles(world, kind, world->closed_store); break;
    case COLLECTION: bad_handles(world, kind, world->closed_collection); break;
    case BATCH: bad_handles(world, kind, world->closed_batch); break;
    case ITERATION: bad_handles(world, kind, world->closed_iteration); break;
    case KEY_SIZE: bad_sizes(65535); break;
    case VALUE_SIZE: bad_sizes((size_t)1 << 30); break;
    case BUFFER_SIZE: bad(number(SIZE_MAX), SEDIMENT_MISUSE, "the largest size"); break;
    case BYTES:
      bad(pointer(&no_bytes), SEDIMENT_MISUSE, "null bytes");
      bad(pointer(&long_bytes), SEDIMENT_TOO_LARGE, "too many bytes");
      break;
    case KEYS:
      bad(pointer(NULL), SEDIMENT_MISUSE, "null");
      bad(pointer(no_keys), SEDIMENT_MISUSE, "a null key");
      bad(pointer(long_keys), SEDIMENT_TOO_LARGE, "a key that is too long");
      break;
    case COUNT:
      bad(number(SIZE_MAX), SEDIMENT_MISUSE, "the largest count");
      bad(number(SIZE_MAX / sizeof(sediment_bytes) + 1), SEDIMENT_MISUSE, "more than there can be");
      break;
    case PINNED: bad_pinned(world); break;
    case CALLBACK: bad(function(NULL), SEDIMENT_MISUSE, "null"); break;
    case KEY:
    case VALUE:
    case BUFFER:
    case OUT: bad(pointer(NULL), SEDIMENT_MISUSE, "null"); break;
    case PATH:
      bad_texts();
      bad(pointer(world->new_path), SEDIMENT_NOT_FOUND, "the path of no file");
      bad(pointer("/dev/null"), SEDIMENT_FOREIGN, "a device");
      bad(pointer(world->path), SEDIMENT_LOCKED, "the path of an open store");
      break;
    case NEW_PATH:
    case NAME: bad_texts(); break;
    case FLAGS_EACH: bad(flag_bits(SEDIMENT_SORTED), SEDIMENT_MISUSE, "sorted"); /* fall through */
    case FLAGS_ITERATE:
    case FLAGS_SALVAGE:
      bad(flag_bits(4), SEDIMENT_MISUSE, "an unknown flag");
      bad(flag_bits(UINT32_MAX), SEDIMENT_MISUSE, "all flags");
      break;
    case OPTIONS: bad_options(); break;
    case CHANGE:
    case CHANGE_OF_DURABILITY:
    case CHANGE_OF_EXPIRY:
    case CHANGE_NEEDED: bad_changes(kind); break;
    case RECOVERY: bad_structures(&recovery, sizeof recovery); bad(pointer(NULL), SEDIMENT_MISUSE, "null"); break;
    case STATISTICS: bad_structures(&statistics, sizeof statistics); bad(pointer(NULL), SEDIMENT_MISUSE, "null"); break;
    case VERIFICATION:
      bad_structures(&verification, sizeof verification);
      bad(pointer(NULL), SEDIMENT_MISUSE, "null");
      break;
    case MAYBE_SALVAGE_REPORT: bad_structures(&salvage, sizeof salvage); break;
    default: break;
  }
  return count;
}
