#ifndef C_INTERFACE_LOOPS_H
#define C_INTERFACE_LOOPS_H

#include <sediment.h>

// The loops of C that are timed: nothing in them but the calls, and a look at each value. Keys of 16 bytes lie one behind
// the other, and a value begins with the first eight bytes of its key. Each returns how many calls failed, or gave another
// value than was set.

size_t interface_set(
    sediment_collection *collection, const void *keys, size_t count, void *value, size_t value_size);

size_t interface_get(
    sediment_collection *collection, const void *keys, size_t count, void *buffer, size_t value_size);

size_t interface_read(sediment_collection *collection, const void *keys, size_t count, size_t value_size);

#endif
