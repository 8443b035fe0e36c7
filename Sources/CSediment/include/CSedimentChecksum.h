#ifndef CSEDIMENT_CHECKSUM_H
#define CSEDIMENT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// CRC32C (polynomial 0x1EDC6F41 reflected, initial value and final inversion of all ones). `crc` is the
// checksum of what precedes the bytes, 0 for nothing, so that checksums continue over parts.

// By the processor's instruction where it has one, three chains side by side for long inputs.
uint32_t sediment_crc32c(uint32_t crc, const void *bytes, size_t count);

// The same of the bytes of an integer, lowest first.
uint32_t sediment_crc32c_integer(uint32_t crc, uint32_t integer);

// The same by tables, on any processor.
uint32_t sediment_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

// The checksum that a record of `count` bytes (a multiple of 8, at least 16) carries at a position in units in a
// segment of that seed: of the position, then the record from its byte 4 on.
uint32_t sediment_crc32c_record(uint32_t seed, uint32_t position, const void *record, size_t count);

// Writes that checksum into the first 4 bytes of a record, and stores it to memory that other threads may copy from
// meanwhile, as `sediment_store_words` does. `shared` begins at a multiple of 8.
void sediment_store_record(void *shared, uint32_t seed, uint32_t position, void *record, size_t count);

// Which of the processor's ways `sediment_crc32c` uses: 0 tables, 1 one chain, 2 three chains.
int sediment_crc32c_way(void);

#endif
