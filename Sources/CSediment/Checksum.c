#include "CSedimentChecksum.h"
