// Threads that use one store at once, pin values and unpin those of others, and close the store under each other.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 4, KEYS = 64, ROUNDS = 3000, CLOSINGS = 40, VAIN_CLOSINGS = 300, PINS = 8 };

static sediment_store *store;
static sediment_collection *keys;
static int is_closing;

static void pause_for(long microseconds) {
  struct timespec time = { 0, microseconds * 1000 };
  (void)nanosleep(&time, NULL);
}

// Each value is a letter, repeated.
static int is_whole(const char *bytes, size_t size) {
  for (size_t number = 1; number < size; number++) {
    if (bytes[number] != bytes[0]) return 0;
  }
  return size == 200;
}

static void check_value(void *context, const void *value, size_t value_size, uint64_t expires_at) {
  (void)context;
  (void)expires_at;
  CHECK(is_whole((const char *)value, value_size));
}

static void *use(void *argument) {
  unsigned random = (unsigned)(uintptr_t)argument;
  char value[200], buffer[200];
  for (int round = 0; round < ROUNDS; round++) {
    random = random * 1103515245u + 12345u;
    const char key = (char)('0' + random / 65536 % KEYS);
    size_t size = 0;
    memset(value, 'a' + round % 26, sizeof value);
    switch (random / 4096 % 5) {
      case 0: OK(sediment_set(keys, &key, 1, value, sizeof value, NULL)); break;
      case 1: {
        int status = sediment_get(keys, &key, 1, buffer, sizeof buffer, &size);
        CHECK(status == SEDIMENT_ABSENT || (status == SEDIMENT_OK && is_whole(buffer, size)));
        break;
      }
      case 2: CHECK(sediment_read(keys, &key, 1, check_value, NULL) >= 0); break;
      case 3: {
        sediment_pinned pinned;
        int status = sediment_pin(keys, &key, 1, &pinned);
        if (status == SEDIMENT_ABSENT) break;
        IS(status, SEDIMENT_OK);
        CHECK(sediment_remove(keys, &key, 1, NULL) >= 0);
        CHECK(is_whole((const char *)pinned.data, pinned.size));
        OK(sediment_unpin(&pinned));
        break;
      }
      default: CHECK(sediment_remove(keys, &key, 1, NULL) >= 0);
    }
  }
  return NULL;
}

static void *unpin(void *argument) {
  sediment_pinned *pinned = (sediment_pinned *)argument;
  CHECK(is_whole((const char *)pinned->data, pinned->size));
  OK(sediment_unpin(pinned));
  return NULL;
}

// Uses a store until it is closed.
static void *use_until_closed(void *argument) {
  char value[200] = "";
  int status = SEDIMENT_OK;
  (void)argument;
  while (status >= 0) {
    const char key = 'k';
    sediment_pinned pinned;
    status = sediment_set(keys, &key, 1, value, sizeof value, NULL);
    if (status >= 0) status = sediment_pin(keys, &key, 1, &pinned);
    if (status == SEDIMENT_OK) {
      pause_for(100);
      CHECK(pinned.size == 200 && memcmp(pinned.data, value, 200) == 0);
      OK(sediment_unpin(&pinned));
    }
  }
  IS(status, SEDIMENT_CLOSED);
  return NULL;
}

static void *close_it(void *argument) {
  (void)argument;
  pause_for(1000);
  int status = sediment_close(store);
  CHECK(status == SEDIMENT_OK || status == SEDIMENT_CLOSED);
  if (status == SEDIMENT_OK) __atomic_fetch_add(&is_closing, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

static void run(void *(*body)(void *), int count) {
  pthread_t threads[THREADS];
  for (int number = 0; number < count; number++) {
    CHECK(pthread_create(&threads[number], NULL, body, (void *)(uintptr_t)(number + 1)) == 0);
  }
  for (int number = 0; number < count; number++) CHECK(pthread_join(threads[number], NULL) == 0);
}

static void *use_and_close(void *argument) {
  return (uintptr_t)argument <= 2 ? use_until_closed(argument) : close_it(argument);
}

// Values stay where they are pinned while the file's space is used again and again.
static void pin_through_churn(void) {
  static char value[60000];
  sediment_store *churned = NULL;
  sediment_pinned held[PINS];
  sediment_statistics statistics = SEDIMENT_STATISTICS_INIT;
  // What is compressed is pinned as a copy, and would show nothing.
  sediment_options options = SEDIMENT_OPTIONS_INIT;
  options.compression = SEDIMENT_COMPRESSION_OFF;
  OK(sediment_open(in_folder("churned.sediment"), &options, &churned));
  sediment_collection *values = sediment_default_collection(churned);
  for (int number = 0; number < PINS; number++) {
    memset(value, 'A' + number, 200);
    OK(sediment_set(values, "held", 4, value, 200, NULL));
    OK(sediment_pin(values, "held", 4, &held[number]));
    for (int round = 0; round < 300; round++) {
      memset(value, 'a' + round % 26, sizeof value);
      const char key = (char)(round % 20);
      OK(sediment_set(values, &key, 1, value, sizeof value, NULL));
    }
    OK(sediment_compact(churned, NULL, NULL));
    for (int other = 0; other <= number; other++) {
      const char *bytes = (const char *)held[other].data;
      CHECK(held[other].size == 200 && bytes[0] == 'A' + other && is_whole(bytes, 200));
    }
  }
  // Unpinned, and in another order.
  for (int number = 0; number < PINS; number++) OK(sediment_unpin(&held[number * 3 % PINS]));
  OK(sediment_compact(churned, NULL, NULL));
  OK(sediment_get_statistics(churned, &statistics));
  CHECK(statistics.file_bytes < UINT64_C(8) << 20);
  OK(sediment_close(churned));
}

static void *pin_nothing(void *argument) {
  sediment_pinned pinned;
  int status;
  (void)argument;
  do {
    status = sediment_pin(keys, "absent", 6, &pinned);
  } while (status == SEDIMENT_ABSENT);
  IS(status, SEDIMENT_CLOSED);
  return NULL;
}

// A close with nothing pinned has let go of the file when it returns, though others look for something to pin.
static void close_beside_vain_pins(void) {
  const char *path = in_folder("vain.sediment");
  pthread_t thread;
  for (int round = 0; round < VAIN_CLOSINGS; round++) {
    OK(sediment_open(path, NULL, &store));
    keys = sediment_default_collection(store);
    CHECK(pthread_create(&thread, NULL, pin_nothing, NULL) == 0);
    OK(sediment_close(store));
    CHECK(pthread_join(thread, NULL) == 0);
  }
}

int main(void) {
  const char *path = in_folder("threads.sediment");
  sediment_pinned pinned[THREADS];
  pthread_t threads[THREADS];
  OK(sediment_open(path, NULL, &store));
  keys = sediment_default_collection(store);
  run(use, THREADS);
  pin_through_churn();
  // Values that this thread pins, two stores in turns, and others unpin, after the stores were closed.
  sediment_store *other = NULL;
  OK(sediment_open(in_folder("other.sediment"), NULL, &other));
  for (int number = 0; number < THREADS; number++) {
    sediment_collection *of = number % 2 == 0 ? keys : sediment_default_collection(other);
    char value[200];
    memset(value, 'a' + number, sizeof value);
    OK(sediment_set(of, "pinned", 6, value, sizeof value, NULL));
    OK(sediment_pin(of, "pinned", 6, &pinned[number]));
    OK(sediment_set(of, "pinned", 6, "", 0, NULL));
  }
  OK(sediment_close(store));
  OK(sediment_close(other));
  IS(sediment_open(path, NULL, &store), SEDIMENT_LOCKED);
  for (int number = 0; number < THREADS; number++) {
    CHECK(pthread_create(&threads[number], NULL, unpin, &pinned[number]) == 0);
    CHECK(pthread_join(threads[number], NULL) == 0);
  }
  for (int round = 0; round < CLOSINGS; round++) {
    is_closing = 0;
    // The last of the pins lets go of the file, which may be after the close has returned.
    int status;
    do {
      status = sediment_open(path, NULL, &store);
    } while (status == SEDIMENT_LOCKED);
    IS(status, SEDIMENT_OK);
    keys = sediment_default_collection(store);
    run(use_and_close, THREADS);
    CHECK(is_closing == 1);
  }
  close_beside_vain_pins();
  printf("threads: %d threads, %d closings under way\n", THREADS, CLOSINGS);
  return 0;
}
