// A child that is killed while it sets, and children after a fork.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLS = 5, ACKNOWLEDGED_MIN = 20 };

// Sets numbers, synced, and tells each to the parent once it is acknowledged; then some that are not synced.
static void set_until_killed(const char *path, int told, uint32_t first) {
  sediment_change change = SEDIMENT_CHANGE_INIT;
  sediment_store *store = NULL;
  change.durability = SEDIMENT_SYNCED;
  OK(sediment_open(path, NULL, &store));
  sediment_collection *keys = sediment_default_collection(store);
  for (uint32_t number = first;; number++) {
    OK(sediment_set(keys, &number, sizeof number, &number, sizeof number, &change));
    CHECK(write(told, &number, sizeof number) == (ssize_t)sizeof number);
    OK(sediment_set(keys, "last", 4, &number, sizeof number, NULL));
  }
}

static void kill_children(void) {
  const char *path = in_folder("killed.sediment");
  uint32_t next = 0;
  for (int round = 0; round < KILLS; round++) {
    int ends[2], status = 0;
    uint32_t number = 0;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) set_until_killed(path, ends[1], next);
    CHECK(close(ends[1]) == 0);
    for (int count = 0; count < ACKNOWLEDGED_MIN * (round + 1); count++) {
      CHECK(read(ends[0], &number, sizeof number) == (ssize_t)sizeof number && number == next);
      next++;
    }
    CHECK(kill(child, SIGKILL) == 0);
    // What it told before it died.
    while (read(ends[0], &number, sizeof number) == (ssize_t)sizeof number) CHECK(number == next++);
    CHECK(close(ends[0]) == 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    sediment_store *store = NULL;
    sediment_recovery recovery = SEDIMENT_RECOVERY_INIT;
    OK(sediment_open(path, NULL, &store));
    OK(sediment_get_recovery(store, &recovery));
    CHECK(recovery.was_closed == 0);
    for (number = 0; number < next; number++) {
      uint32_t found = 0;
      size_t size = 0;
      OK(sediment_get(sediment_default_collection(store), &number, sizeof number, &found, sizeof found, &size));
      CHECK(found == number);
    }
    OK(sediment_close(store));
    // The one that was not told to us may have been set.
    next++;
    sediment_change change = SEDIMENT_CHANGE_INIT;
    OK(sediment_open(path, NULL, &store));
    number = next - 1;
    OK(sediment_set(sediment_default_collection(store), &number, sizeof number, &number, sizeof number, &change));
    OK(sediment_close(store));
  }
}

// What a child may do with what it has from its parent: nothing, but for its own stores and for pinned values.
static void be_child(sediment_store *store, sediment_collection *keys, sediment_collection *named, sediment_batch *batch,
                     sediment_iteration *walk, sediment_pinned *pinned) {
  sediment_statistics statistics = SEDIMENT_STATISTICS_INIT;
  sediment_recovery recovery = SEDIMENT_RECOVERY_INIT;
  sediment_bytes key;
  sediment_store *own = NULL;
  uint64_t count = 0;
  IS(set_text(keys, "a", "b"), SEDIMENT_FORKED);
  IS(sediment_contains(keys, "key", 3), SEDIMENT_FORKED);
  IS(sediment_count(keys, &count), SEDIMENT_FORKED);
  IS(sediment_sync(store), SEDIMENT_FORKED);
  IS(sediment_get_statistics(store, &statistics), SEDIMENT_FORKED);
  IS(sediment_get_recovery(store, &recovery), SEDIMENT_FORKED);
  CHECK(sediment_default_collection(store) == NULL && sediment_last_error()->status == SEDIMENT_FORKED);
  IS(sediment_batch_set(batch, named, "k", 1, "v", 1, NULL), SEDIMENT_FORKED);
  IS(sediment_batch_commit(batch, NULL), SEDIMENT_FORKED);
  CHECK(sediment_iteration_next(walk, &key, NULL) == SEDIMENT_FORKED);
  OK(sediment_iteration_end(walk));
  CHECK(pinned->size == 5 && memcmp(pinned->data, "value", 5) == 0);
  OK(sediment_open(in_folder("own.sediment"), NULL, &own));
  OK(set_text(sediment_default_collection(own), "key", "of the child"));
  OK(sediment_unpin(pinned));
  CHECK(has_text(sediment_default_collection(own), "key", "of the child"));
  IS(sediment_close(store), SEDIMENT_FORKED);
  IS(sediment_close(store), SEDIMENT_CLOSED);
  OK(sediment_close(own));
}

static void fork_children(void) {
  sediment_store *store = NULL;
  sediment_collection *named = NULL;
  sediment_batch *batch = NULL;
  sediment_iteration *walk = NULL;
  sediment_pinned pinned;
  int status = 0;
  OK(sediment_open(in_folder("forked.sediment"), NULL, &store));
  sediment_collection *keys = sediment_default_collection(store);
  OK(set_text(keys, "key", "value"));
  OK(sediment_collection_open(store, "named", &named));
  OK(sediment_batch_begin(store, &batch));
  OK(sediment_batch_set(batch, keys, "in batch", 8, "v", 1, NULL));
  OK(sediment_iterate(keys, NULL, 0, 0, &walk));
  OK(sediment_pin(keys, "key", 3, &pinned));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    be_child(store, keys, named, batch, walk, &pinned);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  OK(sediment_batch_commit(batch, NULL));
  OK(sediment_collection_close(named));
  CHECK(has_text(keys, "in batch", "v"));
  OK(sediment_iteration_end(walk));
  CHECK(memcmp(pinned.data, "value", 5) == 0);
  OK(sediment_unpin(&pinned));
  OK(sediment_close(store));
}

int main(void) {
  fork_children();
  kill_children();
  printf("processes: %d kills, and a child that was forked\n", KILLS);
  return 0;
}
