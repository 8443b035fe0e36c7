// What the tests of the interface for C share: checks that say where they failed.
#ifndef CHECK_H
#define CHECK_H

#include <sediment.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the program unless a condition holds.
#define CHECK(condition) \
  do { \
    if (!(condition)) check_failed(__FILE__, __LINE__, #condition); \
  } while (0)

// Ends the program unless a call returns a status.
#define IS(call, wanted) \
  do { \
    int check_status = (int)(call); \
    if (check_status != (int)(wanted)) check_status_failed(__FILE__, __LINE__, #call, check_status, #wanted); \
  } while (0)

#define OK(call) IS(call, SEDIMENT_OK)

static inline void check_failed(const char *file, int line, const char *text) {
  const sediment_error *error = sediment_last_error();
  fprintf(stderr, "%s:%d: error: not so: %s (last failure: %s)\n", file, line, text,
          error != NULL ? error->description : "none");
  abort();
}

static inline void check_status_failed(const char *file, int line, const char *text, int status, const char *wanted) {
  fprintf(stderr, "%s:%d: error: %s returned %s, not %s\n", file, line, text, sediment_status_name(status), wanted);
  check_failed(file, line, text);
}

// The path of a file in the folder that the runner made for the program.
static inline const char *in_folder(const char *name) {
  static char paths[8][1024];
  static int next = 0;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", getenv("SEDIMENT_FOLDER") != NULL ? getenv("SEDIMENT_FOLDER") : ".", name);
  return path;
}

// Sets and reads texts, with the zero byte left out.
static inline sediment_status set_text(sediment_collection *keys, const char *key, const char *value) {
  return sediment_set(keys, key, strlen(key), value, strlen(value), NULL);
}

static inline int has_text(sediment_collection *keys, const char *key, const char *value) {
  char buffer[256];
  size_t size = 0;
  return sediment_get(keys, key, strlen(key), buffer, sizeof buffer, &size) == SEDIMENT_OK &&
         size == strlen(value) && memcmp(buffer, value, size) == 0;
}

#endif
