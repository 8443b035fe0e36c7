// A cache of at most 16 MiB: what was not read lately makes room for what is new, and pages expire after a minute.
#include <sediment.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sediment_last_error()->description);
  return 1;
}

int main(void) {
  sediment_options options = SEDIMENT_OPTIONS_INIT;
  options.capacity = SEDIMENT_EVICTING;
  options.capacity_bytes = 16 << 20;
  options.durability = SEDIMENT_UNSYNCED;
  sediment_store *store;
  if (sediment_open("cache.sediment", &options, &store) < 0) return fail("open");
  sediment_collection *pages = sediment_default_collection(store);

  sediment_change expiring = SEDIMENT_CHANGE_INIT;
  expiring.expiry = SEDIMENT_EXPIRY_AFTER;
  expiring.expiry_time = 60 * 1000;
  const char *page = "<h1>Hello</h1>";
  if (sediment_set(pages, "/index.html", 11, page, strlen(page), &expiring) < 0) return fail("set");

  // The page where it lies, for as long as it is being sent, even if another thread replaces it.
  sediment_pinned pinned;
  sediment_status status = sediment_pin(pages, "/index.html", 11, &pinned);
  if (status < 0) return fail("pin");
  if (status == SEDIMENT_OK) {
    printf("%.*s\n", (int)pinned.size, (const char *)pinned.data);
    sediment_unpin(&pinned);
  }

  // Whoever comes second is told.
  printf("%s\n", sediment_status_name(sediment_set_if_absent(pages, "/index.html", 11, "other", 5, NULL)));
  return sediment_close(store) < 0 ? fail("close") : 0;
}
