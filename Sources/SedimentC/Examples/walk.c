// Collections of one file, and walks through their keys.
#include <sediment.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sediment_last_error()->description);
  return 1;
}

// Counts in the context, and goes on.
static int count_key(void *context, const sediment_bytes *key, const sediment_bytes *value) {
  (void)key;
  (void)value;
  ++*(int *)context;
  return SEDIMENT_CONTINUE;
}

int main(void) {
  sediment_store *store;
  sediment_collection *users;
  if (sediment_open("walk.sediment", NULL, &store) < 0) return fail("open");
  if (sediment_collection_open(store, "users", &users) < 0) return fail("collection");
  const char *names[] = { "grace", "ada", "alan" };
  for (int number = 0; number < 3; number++) {
    if (sediment_set(users, names[number], strlen(names[number]), &number, sizeof number, NULL) < 0) return fail("set");
  }

  // Step by step, in the order of the keys.
  sediment_iteration *walk;
  sediment_bytes key;
  sediment_status status;
  if (sediment_iterate(users, "a", 1, SEDIMENT_SORTED, &walk) < 0) return fail("iterate");
  while ((status = sediment_iteration_next(walk, &key, NULL)) == SEDIMENT_OK) {
    printf("%.*s\n", (int)key.size, (const char *)key.data);
  }
  if (status < 0) return fail("next");
  sediment_iteration_end(walk);

  // By a callback, without copies.
  int count = 0;
  if (sediment_each(users, NULL, 0, SEDIMENT_KEYS_ONLY, count_key, &count) < 0) return fail("each");
  printf("%d users\n", count);
  sediment_collection_close(users);
  return sediment_close(store) < 0 ? fail("close") : 0;
}
