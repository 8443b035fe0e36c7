// A store with one handle of each kind, open and closed, and arguments made of them.
#ifndef WORLD_H
#define WORLD_H

#include "calls.h"
#include "check.h"

struct world {
  sediment_store *store, *closed_store;
  sediment_collection *collection, *closed_collection;
  sediment_batch *batch, *closed_batch;
  sediment_iteration *iteration, *closed_iteration;
  sediment_pinned pinned, unpinned;
  // Paths of the store, of one that is closed, and of one that is to be made.
  char path[1024], closed_path[1024], new_path[1024];
};

void make_world(struct world *world);
void end_world(struct world *world);

// A good argument of a kind for a call; results go to `results`, a piece of memory for each argument.
argument good_argument(struct world *world, const struct call *call, int number);

// A bad argument of a kind, what it is in words, and the status with which it has to be refused.
struct bad_argument {
  argument value;
  int status;
  const char *what;
};

// Writes the bad arguments of a kind, and returns how many there are.
enum { BAD_ARGUMENTS_MAX = 40 };
int bad_arguments(struct world *world, enum argument_kind kind, struct bad_argument *bad);

#endif
