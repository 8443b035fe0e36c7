#ifndef SCHEDULE_CONTEXTS_H
#define SCHEDULE_CONTEXTS_H

// The threads of a schedule: stacks that take turns on one thread of the system.
//
// In a build with SEDIMENT_SCHEDULES the engine's state of a thread goes with each stack.

struct schedule_context;

// The context of whoever calls, which has the stack that it runs on.
struct schedule_context *schedule_context_of_caller(void);

// A context with a stack of its own; ends the process if there is no memory for one. It is never freed.
struct schedule_context *schedule_context_new(void);

// Lets a context call `body` as soon as it gets the turn. What that returns gets the turn next, and the context may
// begin anew.
void schedule_context_begin(
    struct schedule_context *context, struct schedule_context *(*body)(void *argument), void *argument);

// Gives the turn to another context, and returns when `current`, which had it, gets it back.
void schedule_context_switch(struct schedule_context *current, struct schedule_context *next);

#endif
