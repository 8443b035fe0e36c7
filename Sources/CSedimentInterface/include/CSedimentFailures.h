#ifndef CSEDIMENT_FAILURES_H
#define CSEDIMENT_FAILURES_H

#include "sediment.h"

// Keeps a copy of a failure for `sediment_last_error` of this thread.
//
// Without memory for it, what is kept says just that.
void sediment_failure_keep(const sediment_error *failure);

// What was kept last on this thread, or null.
const sediment_error *sediment_failure_kept(void);

#endif
