// Makes calls at random, with handles that are open, closed, of another kind or invented, with good and bad arguments,
// from several threads and from inside callbacks. None may end the process; what they return is of no interest, as long
// as it is a status.
//
// Usage: random CALLS THREADS SEED
#define _POSIX_C_SOURCE 200809L
#include "calls.h"
#include "check.h"

#include <pthread.h>

enum { PLACES = 8, VALUE_BYTES = 200000, STATUS_MIN = -100, STATUSES = 108, DEPTH_MAX = 2 };

// Handles of each kind, open or closed by now, and tokens of pinned values. All threads take them and put new ones in.
static uintptr_t pool[5][PLACES];
enum pool_kind { STORES, COLLECTIONS, BATCHES, ITERATIONS, PINS };

static unsigned char value_bytes[VALUE_BYTES];
static unsigned long call_total, statuses[STATUSES];
static uint64_t seed;

// A generator for each thread; that of the library's own threads begins at 0.
static __thread uint64_t state;
static __thread int depth;

static uint64_t next_random(void) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t bits = (state ^ state >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
  return bits ^ bits >> 31;
}

static size_t below(size_t limit) { return (size_t)(next_random() % limit); }
static int one_in(size_t count) { return below(count) == 0; }

static uintptr_t taken(enum pool_kind kind) { return __atomic_load_n(&pool[kind][below(PLACES)], __ATOMIC_ACQUIRE); }

static uintptr_t some_handle(enum pool_kind kind) {
  switch (below(12)) {
    case 0: return taken((enum pool_kind)below(5));
    case 1: return taken(kind) ^ (uintptr_t)1 << below(8 * sizeof(uintptr_t));
    case 2: return one_in(2) ? below(100) : (uintptr_t)next_random();
    default: return taken(kind);
  }
}

static int close_handle(enum pool_kind kind, uintptr_t handle) {
  sediment_pinned pinned = { NULL, 0, 0, handle };
  switch (kind) {
    case STORES: return sediment_close((sediment_store *)handle);
    case COLLECTIONS: return sediment_collection_close((sediment_collection *)handle);
    case BATCHES: return sediment_batch_abandon((sediment_batch *)handle);
    case ITERATIONS: return sediment_iteration_end((sediment_iteration *)handle);
    default: return sediment_unpin(&pinned);
  }
}

static void put_in(enum pool_kind kind, uintptr_t handle) {
  uintptr_t old = __atomic_exchange_n(&pool[kind][below(PLACES)], handle, __ATOMIC_ACQ_REL);
  // What is pushed out is closed, or there would be more and more of them; it may be closed already, or be used now.
  int status;
  do {
    status = close_handle(kind, old);
  } while (status == SEDIMENT_BUSY);
}

static int32_t some_number(int32_t known) { return one_in(8) ? (int32_t)next_random() : (int32_t)below((size_t)known); }

// Structures of one call.
struct structures {
  sediment_options options;
  sediment_change change;
  sediment_recovery recovery;
  sediment_statistics statistics;
  sediment_verification verification;
  sediment_salvage_report salvage;
  sediment_pinned pinned;
  sediment_bytes bytes, keys[4];
  uint64_t results[ARGUMENTS_MAX][16];
  char buffer[64], path[1024];
};

static size_t some_size(size_t size) { return one_in(10) ? (one_in(2) ? below(2 * size) : SIZE_MAX - below(9)) : size; }

static const char *some_path(struct structures *in) {
  if (one_in(12)) return one_in(2) ? NULL : "\xc3\x28";
  snprintf(in->path, sizeof in->path, "%s/%d", in_folder("store"), (int)below(4));
  return in->path;
}

static void fill_options(sediment_options *options) {
  static const sediment_options usual = SEDIMENT_OPTIONS_INIT;
  *options = usual;
  options->size = some_size(sizeof *options);
  if (one_in(10)) options->version = (uint32_t)next_random();
  options->flags = one_in(10) ? (uint32_t)next_random() : (uint32_t)(below(32) & ~(size_t)2);
  options->durability = some_number(4);
  if (options->durability == SEDIMENT_INTERVAL || one_in(10)) options->interval = (int64_t)below(2000);
  options->capacity = some_number(3);
  if (options->capacity != SEDIMENT_UNLIMITED) options->capacity_bytes = one_in(5) ? next_random() : UINT64_C(1) << (20 + below(4));
  options->compaction = some_number(3);
  options->compression = some_number(3);
  if (options->compression == SEDIMENT_COMPRESSION_ZSTD) options->compression_level = some_number(5);
}

static void fill_change(sediment_change *change) {
  static const sediment_change usual = SEDIMENT_CHANGE_INIT;
  *change = usual;
  change->size = some_size(sizeof *change);
  change->durability = one_in(20) ? some_number(4) : (int32_t)below(2);
  if (change->durability == SEDIMENT_INTERVAL || one_in(10)) change->interval = (int64_t)below(2000);
  change->expiry = some_number(5);
  if (change->expiry >= SEDIMENT_EXPIRY_AFTER || one_in(10)) {
    change->expiry_time = one_in(5) ? (int64_t)next_random() : (int64_t)below(1000);
  }
}

static sediment_bytes some_key(void) {
  static const char letters[] = "aaaaaaaabcdefgh";
  const size_t start = below(sizeof letters - 1);
  sediment_bytes key;
  key.data = one_in(20) ? NULL : letters + start;
  key.size = one_in(20) ? 65536 + below(3) : below(sizeof letters - start);
  if (one_in(50)) key.size = SIZE_MAX - below(3);
  return key;
}

static sediment_bytes some_value(void) {
  sediment_bytes value;
  value.data = one_in(20) ? NULL : value_bytes;
  value.size = one_in(30) ? SIZE_MAX - below(3) : one_in(100) ? below(VALUE_BYTES) : below(300);
  return value;
}

// Fills an argument, and the size that follows it.
static void fill(const struct call *call, int place, argument *arguments, struct structures *in) {
  argument *into = &arguments[place];
  sediment_bytes bytes;
  switch (call->kinds[place]) {
    case STORE: into->pointer = (void *)some_handle(STORES); break;
    case COLLECTION: into->pointer = (void *)some_handle(COLLECTIONS); break;
    case BATCH: into->pointer = (void *)some_handle(BATCHES); break;
    case ITERATION: into->pointer = (void *)some_handle(ITERATIONS); break;
    case KEY:
    case VALUE:
      bytes = call->kinds[place] == KEY ? some_key() : some_value();
      into->pointer = (void *)(uintptr_t)bytes.data;
      arguments[place + 1].size = bytes.size;
      break;
    case BUFFER:
      into->pointer = one_in(20) ? NULL : in->buffer;
      arguments[place + 1].size = one_in(20) ? SIZE_MAX - below(9) : below(sizeof in->buffer + 1);
      break;
    case BYTES:
      in->bytes = some_value();
      into->pointer = one_in(3) ? NULL : &in->bytes;
      break;
    case KEYS:
      for (int number = 0; number < 4; number++) in->keys[number] = some_key();
      into->pointer = one_in(20) ? NULL : in->keys;
      arguments[place + 1].size = one_in(20) ? SIZE_MAX - below(9) : below(5);
      break;
    case PINNED:
      in->pinned.token = some_handle(PINS);
      into->pointer = one_in(20) ? NULL : &in->pinned;
      break;
    case OUT: into->pointer = one_in(30) ? NULL : in->results[place]; break;
    case CALLBACK:
    case MAYBE_CALLBACK: into->function = one_in(20) ? NULL : call->callback; break;
    case PROGRESS: into->function = one_in(3) ? NULL : progress_callback; break;
    case PATH:
    case NEW_PATH: into->pointer = (void *)(uintptr_t)some_path(in); break;
    case NAME: into->pointer = (void *)(uintptr_t)(one_in(20) ? (one_in(2) ? NULL : "\xff") : one_in(9) ? "" : &"abc"[below(3)]); break;
    case FLAGS_EACH:
    case FLAGS_ITERATE:
    case FLAGS_SALVAGE: into->flags = one_in(20) ? (uint32_t)next_random() : (uint32_t)below(4); break;
    case OPTIONS:
      fill_options(&in->options);
      into->pointer = one_in(4) ? NULL : &in->options;
      break;
    case CHANGE:
    case CHANGE_OF_DURABILITY:
    case CHANGE_OF_EXPIRY:
    case CHANGE_NEEDED:
      fill_change(&in->change);
      into->pointer = one_in(2) ? NULL : &in->change;
      break;
    case RECOVERY: into->pointer = one_in(20) ? NULL : &in->recovery; break;
    case STATISTICS: into->pointer = one_in(20) ? NULL : &in->statistics; break;
    case VERIFICATION: into->pointer = one_in(20) ? NULL : &in->verification; break;
    case MAYBE_SALVAGE_REPORT: into->pointer = one_in(20) ? NULL : &in->salvage; break;
    default: break;
  }
}

// Keeps what a call has made.
static void keep(const struct call *call, const argument *arguments) {
  if (strcmp(call->name, "sediment_open") == 0) {
    sediment_store *store = *(sediment_store **)arguments[2].pointer;
    put_in(STORES, (uintptr_t)store);
    put_in(COLLECTIONS, (uintptr_t)sediment_default_collection(store));
  } else if (strcmp(call->name, "sediment_collection_open") == 0) {
    put_in(COLLECTIONS, *(uintptr_t *)arguments[2].pointer);
  } else if (strcmp(call->name, "sediment_batch_begin") == 0) {
    put_in(BATCHES, *(uintptr_t *)arguments[1].pointer);
  } else if (strcmp(call->name, "sediment_iterate") == 0) {
    put_in(ITERATIONS, *(uintptr_t *)arguments[4].pointer);
  } else if (strcmp(call->name, "sediment_pin") == 0) {
    put_in(PINS, ((sediment_pinned *)arguments[3].pointer)->token);
  } else if (strcmp(call->name, "sediment_get_copy") == 0) {
    sediment_free(*(void **)arguments[3].pointer);
  } else if (strcmp(call->name, "sediment_get_many") == 0) {
    sediment_free(*(void **)arguments[4].pointer);
  }
}

// Opens a store, if it is not open, and handles of it, so that there are always some.
static void open_handles(void) {
  struct structures in;
  sediment_store *store = NULL;
  sediment_collection *collection = NULL;
  sediment_batch *batch = NULL;
  sediment_iteration *iteration = NULL;
  snprintf(in.path, sizeof in.path, "%s/%d", in_folder("store"), (int)below(4));
  if (sediment_open(in.path, NULL, &store) == SEDIMENT_OK) {
    put_in(STORES, (uintptr_t)store);
    put_in(COLLECTIONS, (uintptr_t)sediment_default_collection(store));
  } else {
    store = (sediment_store *)taken(STORES);
  }
  if (sediment_collection_open(store, &"abc"[below(3)], &collection) != SEDIMENT_OK) return;
  put_in(COLLECTIONS, (uintptr_t)collection);
  if (sediment_batch_begin(store, &batch) == SEDIMENT_OK) put_in(BATCHES, (uintptr_t)batch);
  if (sediment_iterate(collection, NULL, 0, 0, &iteration) == SEDIMENT_OK) put_in(ITERATIONS, (uintptr_t)iteration);
}

static void make_call(void) {
  struct structures in;
  argument arguments[ARGUMENTS_MAX];
  const struct call *call;
  do {
    call = &calls[below((size_t)call_count)];
  } while (call->is_long && !one_in(20));
  memset(&in, 0, sizeof in);
  memset(arguments, 0, sizeof arguments);
  in.recovery.size = some_size(sizeof in.recovery);
  in.statistics.size = some_size(sizeof in.statistics);
  in.verification.size = some_size(sizeof in.verification);
  in.salvage.size = some_size(sizeof in.salvage);
  for (int place = 0; place < ARGUMENTS_MAX; place++) fill(call, place, arguments, &in);
  int status = call->make(arguments);
  CHECK(status >= STATUS_MIN && status < STATUS_MIN + STATUSES && strcmp(sediment_status_name(status), "unknown") != 0);
  __atomic_fetch_add(&statuses[status - STATUS_MIN], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&call_total, 1, __ATOMIC_RELAXED);
  if (status == SEDIMENT_OK) keep(call, arguments);
}

// Inside callbacks, also of the library's threads.
static int some_answer(void) {
  if (depth < DEPTH_MAX && one_in(8)) {
    depth++;
    make_call();
    depth--;
  }
  return one_in(30) ? 77 : one_in(10) ? SEDIMENT_STOP : SEDIMENT_CONTINUE;
}

static void *run(void *argument) {
  const unsigned long count = *(unsigned long *)argument;
  static int number = 0;
  state = seed * 1000 + (uint64_t)__atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);
  for (unsigned long made = 0; made < count; made++) {
    if (made % 64 == 0) open_handles();
    make_call();
  }
  return NULL;
}

int main(int argc, char **argv) {
  unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
  const int thread_count = argc > 2 ? atoi(argv[2]) : 1;
  pthread_t threads[16];
  CHECK(thread_count >= 1 && thread_count <= 16);
  seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  count = count / (unsigned long)thread_count;
  callback_answer = some_answer;
  for (int number = 0; number < thread_count; number++) CHECK(pthread_create(&threads[number], NULL, run, &count) == 0);
  for (int number = 0; number < thread_count; number++) CHECK(pthread_join(threads[number], NULL) == 0);
  for (int kind = 4; kind >= 0; kind--) {
    for (int place = 0; place < 20 * PLACES; place++) put_in((enum pool_kind)kind, 0);
  }
  // The library is as good as new.
  sediment_store *store = NULL;
  OK(sediment_open(in_folder("last.sediment"), NULL, &store));
  OK(set_text(sediment_default_collection(store), "key", "value"));
  CHECK(has_text(sediment_default_collection(store), "key", "value"));
  OK(sediment_close(store));
  printf("random: %lu calls, seed %llu:", call_total, (unsigned long long)seed);
  for (int status = 0; status < STATUSES; status++) {
    if (statuses[status] > 0) printf(" %s %lu", sediment_status_name(status + STATUS_MIN), statuses[status]);
  }
  printf("\n");
  return 0;
}
