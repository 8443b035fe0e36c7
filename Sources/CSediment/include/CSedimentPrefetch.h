#ifndef CSEDIMENT_PREFETCH_H
#define CSEDIMENT_PREFETCH_H

// Asks the processor to bring the cache line at an address near, for reading; any address will do.
static inline void sediment_prefetch(const void *address) {
  __builtin_prefetch(address);
}

#endif
