#define ZSTD_STATIC_LINKING_ONLY // for frames without a magic number

#include "CBareZstd.h"

#include <stdlib.h>
#include <zdict.h>
#include <zstd.h>

struct bare_zstd {
  ZSTD_CCtx *compressor;
  ZSTD_DCtx *decompressor;
  ZSTD_CDict *compressing;
  ZSTD_DDict *decompressing;
};

static size_t or_zero(size_t result) { return ZSTD_isError(result) ? 0 : result; }

static int set(ZSTD_CCtx *compressor, ZSTD_cParameter parameter, int value) {
  return !ZSTD_isError(ZSTD_CCtx_setParameter(compressor, parameter, value));
}

/// Whether everything could be set up.
static int prepare(bare_zstd *codec, int level, const void *dictionary, size_t byte_count) {
  codec->compressor = ZSTD_createCCtx();
  codec->decompressor = ZSTD_createDCtx();
  if (codec->compressor == NULL || codec->decompressor == NULL) return 0;
  int is_set = set(codec->compressor, ZSTD_c_compressionLevel, level) &&
               set(codec->compressor, ZSTD_c_format, ZSTD_f_zstd1_magicless) &&
               set(codec->compressor, ZSTD_c_contentSizeFlag, 0) &&
               set(codec->compressor, ZSTD_c_checksumFlag, 0) && set(codec->compressor, ZSTD_c_dictIDFlag, 0) &&
               !ZSTD_isError(ZSTD_DCtx_setParameter(codec->decompressor, ZSTD_d_format, ZSTD_f_zstd1_magicless));
  if (!is_set || byte_count == 0) return is_set;
  codec->compressing = ZSTD_createCDict(dictionary, byte_count, level);
  codec->decompressing = ZSTD_createDDict(dictionary, byte_count);
  if (codec->compressing == NULL || codec->decompressing == NULL) return 0;
  return !ZSTD_isError(ZSTD_CCtx_refCDict(codec->compressor, codec->compressing)) &&
         !ZSTD_isError(ZSTD_DCtx_refDDict(codec->decompressor, codec->decompressing));
}

bare_zstd *bare_zstd_create(int level, const void *dictionary, size_t byte_count) {
  bare_zstd *codec = calloc(1, sizeof *codec);
  if (codec == NULL || prepare(codec, level, dictionary, byte_count)) return codec;
  bare_zstd_free(codec);
  return NULL;
}

void bare_zstd_free(bare_zstd *codec) {
  ZSTD_freeCCtx(codec->compressor);
  ZSTD_freeDCtx(codec->decompressor);
  ZSTD_freeCDict(codec->compressing);
  ZSTD_freeDDict(codec->decompressing);
  free(codec);
}

size_t bare_zstd_train(void *dictionary, size_t byte_count_max, const void *samples, const size_t *byte_counts,
                       unsigned count) {
  size_t result = ZDICT_trainFromBuffer(dictionary, byte_count_max, samples, byte_counts, count);
  return ZDICT_isError(result) ? 0 : result;
}

size_t bare_zstd_bound(size_t byte_count) { return ZSTD_compressBound(byte_count); }

size_t bare_zstd_compress(bare_zstd *codec, void *frame, size_t byte_count_max, const void *value,
                          size_t byte_count) {
  return or_zero(ZSTD_compress2(codec->compressor, frame, byte_count_max, value, byte_count));
}

size_t bare_zstd_decompress(bare_zstd *codec, void *value, size_t byte_count_max, const void *frame,
                            size_t byte_count) {
  return or_zero(ZSTD_decompressDCtx(codec->decompressor, value, byte_count_max, frame, byte_count));
}
