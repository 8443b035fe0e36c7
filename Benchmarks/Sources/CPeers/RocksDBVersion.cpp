#include <rocksdb/version.h>

#define text_of(number) #number
#define version_text(major, minor, patch) text_of(major) "." text_of(minor) "." text_of(patch)

extern "C" const char *peer_rocksdb_version(void) {
  return version_text(ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
}
