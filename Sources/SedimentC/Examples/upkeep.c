// A copy of an open store, its verification, and figures.
#include <sediment.h>

#include <stdio.h>

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sediment_last_error()->description);
  return 1;
}

// Another program would draw a bar here.
static int note_progress(void *context, uint64_t done, uint64_t total) {
  *(int *)context = total == 0 ? 100 : (int)(done * 100 / total);
  return SEDIMENT_CONTINUE;
}

static int print_finding(void *context, const sediment_finding *finding) {
  (void)context;
  printf("%s at %llu: %s\n", finding->kind, (unsigned long long)finding->begin, finding->message);
  return SEDIMENT_CONTINUE;
}

int main(void) {
  sediment_store *store;
  if (sediment_open("upkeep.sediment", NULL, &store) < 0) return fail("open");
  sediment_collection *keys = sediment_default_collection(store);
  for (int number = 0; number < 1000; number++) {
    if (sediment_set(keys, &number, sizeof number, "value", 5, NULL) < 0) return fail("set");
  }

  int percent = 0;
  if (sediment_backup(store, "copy.sediment", note_progress, &percent) < 0) return fail("backup");
  printf("copied %d %%\n", percent);

  sediment_verification report = SEDIMENT_VERIFICATION_INIT;
  if (sediment_verify("copy.sediment", NULL, print_finding, NULL, &report) < 0) return fail("verify");
  printf("%s\n", report.is_intact ? "intact" : "damaged");

  sediment_statistics figures = SEDIMENT_STATISTICS_INIT;
  if (sediment_get_statistics(store, &figures) < 0) return fail("statistics");
  printf("%llu keys\n", (unsigned long long)figures.live_keys);
  if (sediment_compact(store, NULL, NULL) < 0) return fail("compact");
  return sediment_close(store) < 0 ? fail("close") : 0;
}
