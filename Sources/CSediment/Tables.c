#include "CSedimentTables.h"

#include <stdint.h>
#include <stdlib.h>

// Sanitizers know what `malloc` gave, and what of it was given back.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_WATCHED 1
#endif
#endif

static void *plain_new(size_t count) {
  void *table = NULL;
  if (posix_memalign(&table, 64, count) != 0) abort();
  return table;
}

void *sediment_zeros_new(size_t count) {
  void *zeros = calloc(count, 1);
  if (zeros == NULL) abort();
  return zeros;
}

void sediment_zeros_free(void *zeros) { free(zeros); }

#if defined(__linux__) && UINTPTR_MAX > UINT32_MAX && !defined(IS_WATCHED)
#include "CSedimentThreads.h"

#include <string.h>
#include <sys/mman.h>

// One range of addresses, of which memory is taken as it is used, in units. A table is a row of units.
#define UNIT ((size_t)8 << 10)
#define HUGE ((size_t)2 << 20)
#define RANGE ((size_t)64 << 30)
#define UNIT_COUNT (RANGE / UNIT)
#define UNITS_PER_HUGE (HUGE / UNIT)
// Shorter ones are of small indexes, which need few pages, or would leave much of their last unit.
#define LONG_COUNT ((size_t)64 << 10)
#define ROW_MAX ((size_t)UINT16_MAX)

static uint8_t *range;
// How many units the table has that begins with one; 0 elsewhere.
static uint16_t *rows;
// A bit for each unit that is taken.
static uint64_t *taken;
// No unit before this one is free, and none from `end` on was ever taken.
static size_t low, end;
static struct sediment_mutex *lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Where anything of it is refused, all tables come from `malloc`.
static void begin(void) {
  // The range, up to a huge page before it, and what is noted of its units behind it.
  const size_t count = HUGE + RANGE + UNIT_COUNT * sizeof *rows + UNIT_COUNT / 8;
  uint8_t *memory =
      mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  uint8_t *first = memory + (HUGE - (uintptr_t)memory % HUGE) % HUGE;
  if (madvise(first, RANGE, MADV_HUGEPAGE) != 0) {
    (void)munmap(memory, count);
    return;
  }
  taken = (uint64_t *)(first + RANGE);
  rows = (uint16_t *)(taken + UNIT_COUNT / 64);
  lock = sediment_mutex_new(1);
  __atomic_store_n(&range, first, __ATOMIC_RELEASE);
}

static int is_taken(size_t unit) { return taken[unit / 64] >> unit % 64 & 1; }

static void mark(size_t first, size_t count, int value) {
  for (size_t unit = first; unit < first + count; unit++) {
    uint64_t bit = (uint64_t)1 << unit % 64;
    if (value) taken[unit / 64] |= bit;
    else taken[unit / 64] &= ~bit;
  }
}

// The first of so many free units in a row, as far to the front as there are any.
static size_t find(size_t count) {
  size_t first = low;
  for (size_t unit = low; unit < end && unit - first < count; unit++) {
    if (unit % 64 == 0 && taken[unit / 64] == UINT64_MAX) {
      first = unit + 64;
      unit += 63;
    } else if (is_taken(unit)) {
      first = unit + 1;
    }
  }
  return first;
}

static void *long_new(size_t row) {
  void *table = NULL;
  sediment_mutex_lock(lock);
  size_t first = find(row);
  if (first + row <= UNIT_COUNT) {
    mark(first, row, 1);
    rows[first] = (uint16_t)row;
    if (first + row > end) end = first + row;
    while (low < end && is_taken(low)) low++;
    table = range + first * UNIT;
  }
  sediment_mutex_unlock(lock);
  return table;
}

// Lets the system have those huge pages back of which no unit is taken any more.
static void give_back(size_t first, size_t count) {
  size_t page = first / UNITS_PER_HUGE, last = (first + count - 1) / UNITS_PER_HUGE;
  for (; page <= last; page++) {
    uint64_t any = 0;
    for (size_t word = 0; word < UNITS_PER_HUGE / 64; word++) any |= taken[page * UNITS_PER_HUGE / 64 + word];
    if (any == 0) (void)madvise(range + page * HUGE, HUGE, MADV_DONTNEED);
  }
}

static void long_free(size_t first) {
  sediment_mutex_lock(lock);
  size_t row = rows[first];
  rows[first] = 0;
  mark(first, row, 0);
  if (first < low) low = first;
  give_back(first, row);
  sediment_mutex_unlock(lock);
}

int sediment_table_is_long(size_t count) {
  if (count < LONG_COUNT || count > ROW_MAX * UNIT) return 0;
  (void)pthread_once(&once, begin);
  return range != NULL;
}

void *sediment_table_new(size_t count) {
  void *table = sediment_table_is_long(count) ? long_new((count + UNIT - 1) / UNIT) : NULL;
  return table != NULL ? table : plain_new(count);
}

void sediment_table_free(void *table) {
  // Whoever has a table of the range has seen that there is one.
  uint8_t *first = __atomic_load_n(&range, __ATOMIC_ACQUIRE);
  uintptr_t offset = (uintptr_t)table - (uintptr_t)first;
  if (first != NULL && offset < RANGE) long_free(offset / UNIT);
  else free(table);
}

#else

int sediment_table_is_long(size_t count) {
  (void)count;
  return 0;
}

void *sediment_table_new(size_t count) { return plain_new(count); }

void sediment_table_free(void *table) { free(table); }

#endif
