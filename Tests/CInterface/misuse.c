// Calls every function with every argument wrong in turn: it has to refuse that by the right status and say by whom, and
// the handles stay as they are.
#include "world.h"

static int tried = 0;

static const char *says(const sediment_error *error) { return error != NULL ? error->description : "nothing"; }

static void fill(struct world *world, const struct call *call, argument *arguments) {
  for (int place = 0; place < ARGUMENTS_MAX; place++) arguments[place] = good_argument(world, call, place);
}

static void try_call(struct world *world, const struct call *call) {
  struct bad_argument bad[BAD_ARGUMENTS_MAX];
  argument arguments[ARGUMENTS_MAX];
  for (int place = 0; place < ARGUMENTS_MAX && call->kinds[place] != NO_ARGUMENT; place++) {
    int count = bad_arguments(world, call->kinds[place], bad);
    CHECK(count <= BAD_ARGUMENTS_MAX);
    for (int number = 0; number < count; number++) {
      fill(world, call, arguments);
      arguments[place] = bad[number].value;
      int status = call->make(arguments);
      const sediment_error *error = sediment_last_error();
      tried++;
      if (status != bad[number].status || error == NULL || error->status != status || error->message[0] == 0) {
        fprintf(stderr, "%s, argument %d is %s: %s instead of %s; the failure is: %s\n", call->name, place + 1,
                bad[number].what, sediment_status_name(status), sediment_status_name(bad[number].status), says(error));
        abort();
      }
      // What the library refuses itself is told by the name of the function.
      if (status == SEDIMENT_MISUSE && strncmp(error->message, call->name, strlen(call->name)) != 0) {
        fprintf(stderr, "%s: its message begins otherwise: %s\n", call->name, error->message);
        abort();
      }
    }
  }
}

static int nonsense(void) { return 77; }

// Callbacks that return what none may return.
static void try_callback(struct world *world, const struct call *call) {
  argument arguments[ARGUMENTS_MAX];
  int has_callback = 0;
  for (int place = 0; place < ARGUMENTS_MAX; place++) {
    if (call->kinds[place] == CALLBACK) has_callback = 1;
  }
  if (!has_callback || strcmp(call->name, "sediment_read") == 0 || strcmp(call->name, "sediment_sync_later") == 0) return;
  fill(world, call, arguments);
  callback_answer = nonsense;
  IS(call->make(arguments), SEDIMENT_MISUSE);
  callback_answer = NULL;
  tried++;
}

int main(void) {
  struct world world;
  int (*usual)(void) = callback_answer;
  make_world(&world);
  for (int number = 0; number < call_count; number++) try_call(&world, &calls[number]);
  for (int number = 0; number < call_count; number++) {
    try_callback(&world, &calls[number]);
    callback_answer = usual;
  }
  // Arguments of functions that return no status.
  CHECK(sediment_default_collection(NULL) == NULL);
  CHECK(sediment_default_collection(world.closed_store) == NULL);
  IS(sediment_last_error()->status, SEDIMENT_CLOSED);
  CHECK(sediment_default_collection((sediment_store *)world.collection) == NULL);
  IS(sediment_last_error()->status, SEDIMENT_MISUSE);
  IS(sediment_collection_close(sediment_default_collection(world.store)), SEDIMENT_MISUSE);
  sediment_collection *unnamed = NULL;
  IS(sediment_collection_open(world.store, "", &unnamed), SEDIMENT_INVALID_ARGUMENT);
  CHECK(strcmp(sediment_status_name(12345), "unknown") == 0);
  sediment_free(NULL);
  // Nothing of all that closed or changed anything.
  CHECK(has_text(world.collection, "key", "value"));
  end_world(&world);
  printf("misuse: %d calls refused\n", tried + 6);
  return 0;
}
