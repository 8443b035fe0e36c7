// Tables of all lengths, made, filled, kept beside one another and given back at random.
#include "CSedimentTables.h"
#include "program.h"

#include <string.h>

enum { TABLES = 64 };

static uint8_t mark_of(int number, int use) { return (uint8_t)(number * 31 + use * 7 + 1); }

static void check_table(const uint8_t *table, size_t count, uint8_t mark) {
  CHECK((uintptr_t)table % 64 == 0);
  for (size_t place = 0; place < count; place += 509) CHECK(table[place] == mark);
  CHECK(table[count - 1] == mark);
}

int main(void) {
  uint64_t random = 3, digest = 0;
  uint8_t *tables[TABLES] = {0};
  size_t counts[TABLES] = {0};
  int uses[TABLES] = {0};
  for (int step = 0; step < 4000; step++) {
    int number = (int)(next_random(&random) % TABLES);
    if (tables[number] != NULL) {
      check_table(tables[number], counts[number], mark_of(number, uses[number]));
      sediment_table_free(tables[number]);
      tables[number] = NULL;
    } else {
      // Some below, some above the length from which on tables lie in huge pages.
      counts[number] = ((size_t)64 << next_random(&random) % 15) + 64 * (next_random(&random) % 9);
      tables[number] = sediment_table_new(counts[number]);
      memset(tables[number], mark_of(number, ++uses[number]), counts[number]);
      add(&digest, counts[number]);
    }
  }
  for (int number = 0; number < TABLES; number++) {
    if (tables[number] == NULL) continue;
    check_table(tables[number], counts[number], mark_of(number, uses[number]));
    sediment_table_free(tables[number]);
  }
  print_digest("tables", digest);
  return 0;
}
