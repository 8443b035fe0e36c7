#if !defined(__APPLE__)
#define _GNU_SOURCE
#endif
#include "ScheduleContexts.h"

#include "CSedimentThreadObject.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct schedule_context {
  // Where its registers lie while it has not the turn.
  void *stack_pointer;
  // The end of its own stack; null if it runs on the system's.
  char *stack_end;
  struct schedule_context *(*body)(void *argument);
  void *argument;
#if defined(SEDIMENT_SCHEDULES)
  struct sediment_thread_state state;
#endif
};

// Memory of a stack is taken as it is touched; what lies below it must not be.
enum { STACK_BYTES = 1 << 20, GUARD_BYTES = 1 << 16 };

struct schedule_context *schedule_context_of_caller(void) {
  struct schedule_context *context = calloc(1, sizeof *context);
  if (context == NULL) abort();
  return context;
}

struct schedule_context *schedule_context_new(void) {
  struct schedule_context *context = schedule_context_of_caller();
  char *memory = mmap(
      NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE) != 0) abort();
  context->stack_end = memory + GUARD_BYTES + STACK_BYTES;
  return context;
}

// Puts the registers that a function must keep onto the stack, its pointer to `*saved`, and takes them from another.
#if defined(__x86_64__)

__attribute__((naked, noinline)) static void exchange_stacks(void **saved, void *stack_pointer) {
  __asm__(
      "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
      "movq %rsp, (%rdi)\n"
      "movq %rsi, %rsp\n"
      "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n"
      "ret\n");
}

// Where a new stack goes on: with its context in rbx. The stack ends here for whoever looks through it.
__attribute__((naked, noinline)) static void enter(void) {
  __asm__("xorl %ebp, %ebp\n movq %rbx, %rdi\n call *%r12\n ud2\n");
}

enum { BODY_WORD = 3, CONTEXT_WORD = 4, RETURN_WORD = 6, STACK_WORDS = 9 };

#elif defined(__aarch64__)

__attribute__((naked, noinline)) static void exchange_stacks(void **saved, void *stack_pointer) {
  __asm__(
      "sub sp, sp, #160\n"
      "stp x19, x20, [sp]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n stp x25, x26, [sp, #48]\n"
      "stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"
      "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
      "mov x9, sp\n str x9, [x0]\n"
      "mov sp, x1\n"
      "ldp x19, x20, [sp]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n ldp x25, x26, [sp, #48]\n"
      "ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"
      "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
      "add sp, sp, #160\n"
      "ret\n");
}

// Where a new stack goes on: with its context in x19.
__attribute__((naked, noinline)) static void enter(void) {
  __asm__("mov x29, #0\n mov x30, #0\n mov x0, x19\n blr x20\n brk #1\n");
}

enum { CONTEXT_WORD = 0, BODY_WORD = 1, RETURN_WORD = 11, STACK_WORDS = 20 };

#else

// Schedules take a few lines for any other processor.
static void exchange_stacks(void **saved, void *stack_pointer) { abort(); }
static void enter(void) { abort(); }

enum { CONTEXT_WORD = 0, BODY_WORD = 1, RETURN_WORD = 2, STACK_WORDS = 4 };

#endif

// What every stack of its own does: whatever is begun on it, for ever.
static void run(struct schedule_context *context) {
  while (1) {
    struct schedule_context *next = context->body(context->argument);
    schedule_context_switch(context, next);
  }
}

void schedule_context_begin(
    struct schedule_context *context, struct schedule_context *(*body)(void *argument), void *argument) {
  context->body = body;
  context->argument = argument;
  if (context->stack_pointer != NULL) return;
  void **words = (void **)context->stack_end - STACK_WORDS;
  memset(words, 0, STACK_WORDS * sizeof *words);
  words[CONTEXT_WORD] = context;
  words[BODY_WORD] = (void *)(uintptr_t)run;
  words[RETURN_WORD] = (void *)(uintptr_t)enter;
  context->stack_pointer = words;
}

void schedule_context_switch(struct schedule_context *current, struct schedule_context *next) {
#if defined(SEDIMENT_SCHEDULES)
  sediment_thread_state_exchange(&current->state, &next->state);
#endif
  exchange_stacks(&current->stack_pointer, next->stack_pointer);
}
