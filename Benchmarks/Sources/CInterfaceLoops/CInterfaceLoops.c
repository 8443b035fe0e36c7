#include "CInterfaceLoops.h"

#include <string.h>

enum { KEY_SIZE = 16, WORD_SIZE = 8 };

size_t interface_set(
    sediment_collection *collection, const void *keys, size_t count, void *value, size_t value_size) {
  size_t wrong = 0;
  const char *key = keys;
  for (size_t number = 0; number < count; number++, key += KEY_SIZE) {
    memcpy(value, key, WORD_SIZE);
    wrong += sediment_set(collection, key, KEY_SIZE, value, value_size, NULL) != SEDIMENT_OK;
  }
  return wrong;
}

size_t interface_get(
    sediment_collection *collection, const void *keys, size_t count, void *buffer, size_t value_size) {
  size_t wrong = 0;
  const char *key = keys;
  for (size_t number = 0; number < count; number++, key += KEY_SIZE) {
    size_t size = 0;
    const sediment_status status = sediment_get(collection, key, KEY_SIZE, buffer, value_size, &size);
    wrong += status != SEDIMENT_OK || size != value_size || memcmp(buffer, key, WORD_SIZE) != 0;
  }
  return wrong;
}

struct looked_for {
  const char *key;
  size_t value_size, right;
};

static void look(void *context, const void *value, size_t value_size, uint64_t expires_at) {
  struct looked_for *wanted = context;
  wanted->right += value_size == wanted->value_size && expires_at == 0 && memcmp(value, wanted->key, WORD_SIZE) == 0;
}

size_t interface_read(sediment_collection *collection, const void *keys, size_t count, size_t value_size) {
  struct looked_for wanted = {.key = keys, .value_size = value_size};
  for (size_t number = 0; number < count; number++, wanted.key += KEY_SIZE) {
    (void)sediment_read(collection, wanted.key, KEY_SIZE, look, &wanted);
  }
  return count - wanted.right;
}
