// Callbacks that call the library, on the store that calls them and on another one.
#include "check.h"

struct stores {
  sediment_store *store, *other;
  sediment_collection *keys, *other_keys;
  int count;
};

static int count_key(void *context, const sediment_bytes *key, const sediment_bytes *value) {
  (void)key;
  (void)value;
  ((struct stores *)context)->count++;
  return SEDIMENT_CONTINUE;
}

static void check_again(void *context, const void *value, size_t value_size, uint64_t expires_at) {
  (void)context;
  (void)expires_at;
  CHECK(value_size == 5 && memcmp(value, "value", 5) == 0);
}

// Everything that a program may do while it reads in place.
static void do_everything(void *context, const void *value, size_t value_size, uint64_t expires_at) {
  struct stores *in = (struct stores *)context;
  sediment_pinned own, of_other;
  sediment_batch *batch = NULL;
  sediment_collection *named = NULL;
  OK(sediment_pin(in->keys, "key", 3, &own));
  OK(sediment_pin(in->other_keys, "key", 3, &of_other));
  OK(sediment_read(in->other_keys, "key", 3, check_again, NULL));
  OK(sediment_unpin(&own));
  OK(set_text(in->keys, "key", "another"));
  OK(set_text(in->other_keys, "more", "another"));
  OK(sediment_collection_open(in->store, "named", &named));
  OK(sediment_batch_begin(in->store, &batch));
  OK(sediment_batch_set(batch, named, "key", 3, "in batch", 8, NULL));
  OK(sediment_batch_commit(batch, NULL));
  in->count = 0;
  OK(sediment_each(in->keys, NULL, 0, 0, count_key, in));
  CHECK(in->count == 101);
  OK(sediment_compact(in->store, NULL, NULL));
  OK(sediment_backup(in->store, in_folder("backup.sediment"), NULL, NULL));
  OK(sediment_destroy(in_folder("backup.sediment")));
  OK(sediment_sync(in->store));
  OK(sediment_remove_everything(in->store, NULL));
  OK(sediment_unpin(&of_other));
  OK(sediment_collection_close(named));
  check_again(NULL, value, value_size, expires_at);
}

static void close_store(void *context, const void *value, size_t value_size, uint64_t expires_at) {
  struct stores *in = (struct stores *)context;
  sediment_store *again = NULL;
  OK(sediment_close(in->store));
  IS(sediment_open(in_folder("callbacks.sediment"), NULL, &again), SEDIMENT_LOCKED);
  IS(sediment_contains(in->keys, "key", 3), SEDIMENT_CLOSED);
  check_again(NULL, value, value_size, expires_at);
}

// Removes each key that it comes to, and adds one beside it.
static int change_key(void *context, const sediment_bytes *key, const sediment_bytes *value) {
  struct stores *in = (struct stores *)context;
  CHECK(value->size == 5);
  if (key->size == 3) {
    OK(sediment_remove(in->keys, key->data, key->size, NULL));
    OK(sediment_set(in->keys, key->data, 2, "value", 5, NULL));
  }
  return ++in->count < 200 ? SEDIMENT_CONTINUE : SEDIMENT_STOP;
}

static int update_in_update(void *context, const sediment_bytes *old, sediment_bytes *value) {
  struct stores *in = (struct stores *)context;
  // The first time somebody else changes the key meanwhile, so it is called once more.
  if (in->count++ == 0) OK(set_text(in->keys, "key", "other"));
  else CHECK(old->size == 5 && memcmp(old->data, "other", 5) == 0);
  value->data = "updated";
  value->size = 7;
  return SEDIMENT_UPDATE_SET;
}

static void fill(struct stores *in) {
  char key[8];
  in->count = 0;
  OK(sediment_open(in_folder("callbacks.sediment"), NULL, &in->store));
  in->keys = sediment_default_collection(in->store);
  OK(set_text(in->keys, "key", "value"));
  for (int number = 100; number < 200; number++) {
    snprintf(key, sizeof key, "%d", number);
    OK(set_text(in->keys, key, "value"));
  }
}

int main(void) {
  struct stores in;
  memset(&in, 0, sizeof in);
  OK(sediment_open(in_folder("other.sediment"), NULL, &in.other));
  in.other_keys = sediment_default_collection(in.other);
  OK(set_text(in.other_keys, "key", "value"));
  fill(&in);
  OK(sediment_read(in.keys, "key", 3, do_everything, &in));
  OK(sediment_close(in.store));
  fill(&in);
  OK(sediment_each(in.keys, NULL, 0, 0, change_key, &in));
  CHECK(in.count >= 100);
  in.count = 0;
  OK(sediment_update(in.keys, "key", 3, NULL, update_in_update, &in));
  CHECK(in.count == 2 && has_text(in.keys, "key", "updated"));
  OK(set_text(in.keys, "key", "value"));
  OK(sediment_read(in.keys, "key", 3, close_store, &in));
  IS(sediment_close(in.store), SEDIMENT_CLOSED);
  fill(&in);
  OK(sediment_close(in.store));
  OK(sediment_close(in.other));
  printf("callbacks: they may call anything\n");
  return 0;
}
