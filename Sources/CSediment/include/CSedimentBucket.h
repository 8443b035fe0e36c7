#ifndef CSEDIMENT_BUCKET_H
#define CSEDIMENT_BUCKET_H

#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CSEDIMENT_ONE_BY_ONE 1
#endif
#endif

#if !defined(CSEDIMENT_ONE_BY_ONE) && defined(__SSE2__)
#include <emmintrin.h>
#elif !defined(CSEDIMENT_ONE_BY_ONE) && defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

// Which of the eight words of a bucket agree with `bits` in their bits 38 to 62: a bit for each, the lowest for the first.
// All other bits of `bits` are zero.
//
// Other threads may store words meanwhile. A processor with these instructions loads each word whole, in no order: the
// caller loads again what agrees. Only the upper halves of words are compared.
//
// Not to be inlined always: the thread sanitizer, of which this header hears nothing where Swift imports it, would take
// these loads for races.
static inline uint32_t sediment_agreeing_words(const void *bucket, uint64_t bits) {
#if !defined(CSEDIMENT_ONE_BY_ONE) && defined(__SSE2__)
  const __m128 *pairs = (const __m128 *)bucket;
  const __m128i mask = _mm_set1_epi32(0x7fffffc0), wanted = _mm_set1_epi32((int32_t)(bits >> 32));
  __m128i first = _mm_castps_si128(_mm_shuffle_ps(pairs[0], pairs[1], 0xdd));
  __m128i last = _mm_castps_si128(_mm_shuffle_ps(pairs[2], pairs[3], 0xdd));
  first = _mm_cmpeq_epi32(_mm_and_si128(first, mask), wanted);
  last = _mm_cmpeq_epi32(_mm_and_si128(last, mask), wanted);
  return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(first)) | (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(last)) << 4;
#elif !defined(CSEDIMENT_ONE_BY_ONE) && defined(__ARM_NEON) && defined(__aarch64__) && !defined(__AARCH64EB__)
  const uint32_t *halves = (const uint32_t *)bucket;
  static const uint32_t places[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const uint32x4_t mask = vdupq_n_u32(0x7fffffc0), wanted = vdupq_n_u32((uint32_t)(bits >> 32));
  uint32x4_t first = vuzp2q_u32(vld1q_u32(halves), vld1q_u32(halves + 4));
  uint32x4_t last = vuzp2q_u32(vld1q_u32(halves + 8), vld1q_u32(halves + 12));
  first = vandq_u32(vceqq_u32(vandq_u32(first, mask), wanted), vld1q_u32(places));
  last = vandq_u32(vceqq_u32(vandq_u32(last, mask), wanted), vld1q_u32(places + 4));
  return vaddvq_u32(vorrq_u32(first, last));
#else
  const uint64_t *words = (const uint64_t *)bucket;
  uint32_t agreeing = 0;
  for (int number = 0; number < 8; number++) {
    uint64_t difference = (__atomic_load_n(words + number, __ATOMIC_RELAXED) ^ bits) << 1;
    agreeing |= (uint32_t)(difference < (uint64_t)1 << 39) << number;
  }
  return agreeing;
#endif
}

#endif
