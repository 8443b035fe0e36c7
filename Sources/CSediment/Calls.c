#include "CSedimentCalls.h"

SEDIMENT_THREAD_LOCAL struct sediment_calls sediment_calls_of_thread;
