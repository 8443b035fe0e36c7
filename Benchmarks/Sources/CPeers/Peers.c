#include "Peers.h"

#include <stdio.h>

static _Thread_local char message[512];

const char *peer_message(void) {
  return message;
}

enum peer_outcome peer_fail(const char *what, const char *why) {
  snprintf(message, sizeof message, "%s: %s", what, why ? why : "it does not say why");
  return peer_failed;
}

void peer_path(char path[4096], const struct peer_place *place, const char *name) {
  snprintf(path, 4096, "%s/%s", place->folder, name);
}
