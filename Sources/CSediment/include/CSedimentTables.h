#ifndef CSEDIMENT_TABLES_H
#define CSEDIMENT_TABLES_H

#include <stddef.h>

// Memory for the tables of indexes, of all stores of the process.
//
// Where the system has huge pages, long tables lie side by side in them: a probe goes to a bucket anywhere, and the
// processor has the places of few small pages at hand. Others come from `malloc`.

// Memory of so many bytes, at a multiple of 64; its contents are not defined. The process ends where there is none.
void *sediment_table_new(size_t count);

// Gives it back.
void sediment_table_free(void *table);

// Zeros, of which only those that are changed take memory where they are many. The process ends where there are none.
void *sediment_zeros_new(size_t count);

// Gives them back.
void sediment_zeros_free(void *zeros);

// Whether a table of so many bytes may lie in huge pages.
int sediment_table_is_long(size_t count);

#endif
