// The bare calls of zstd that a store which compresses its values cannot do without.
#ifndef SEDIMENT_BENCHMARKS_CBAREZSTD_H
#define SEDIMENT_BENCHMARKS_CBAREZSTD_H

#include <stddef.h>

/// Contexts to compress and decompress with, used again for each value; for one thread at a time.
typedef struct bare_zstd bare_zstd;

/// Creates contexts of a level, with a dictionary unless it has no bytes. A frame will have nothing in it that a record
/// of a store tells already: no magic number, length, checksum or number of a dictionary. NULL if there is no memory.
bare_zstd *bare_zstd_create(int level, const void *dictionary, size_t byte_count);

/// Frees them.
void bare_zstd_free(bare_zstd *codec);

/// Trains a dictionary of at most so many bytes from samples, one behind the other. Returns its length; 0 if the
/// samples are too few.
size_t bare_zstd_train(void *dictionary, size_t byte_count_max, const void *samples, const size_t *byte_counts,
                       unsigned count);

/// How long a frame of so many bytes may become.
size_t bare_zstd_bound(size_t byte_count);

/// Compresses a value. Returns the length of its frame; 0 if it finds no room.
size_t bare_zstd_compress(bare_zstd *codec, void *frame, size_t byte_count_max, const void *value, size_t byte_count);

/// Decompresses a frame. Returns the length of the value; 0 if it finds no room, or there is no such frame.
size_t bare_zstd_decompress(bare_zstd *codec, void *value, size_t byte_count_max, const void *frame,
                            size_t byte_count);

#endif
