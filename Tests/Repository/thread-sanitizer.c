// Tells the thread sanitizer of Linux about `Mutex`. A lock that is free is taken and given back by code
// that is compiled into the program, where the sanitizer sees it; a lock that somebody waits for is handed
// over within the standard library, where it does not, and then it takes guarded accesses for races.
//
// `Tests/run` loads this before the standard library, so that both slow paths pass through here. Should a
// new toolchain name them otherwise, nothing passes, and the false reports return; no race is ever hidden.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Absent in programs without the sanitizer that a test starts.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define CONTEXT __attribute__((swift_context))

typedef __attribute__((swiftcall)) void (*LockSlow)(uint32_t thread, CONTEXT void *mutex);
typedef __attribute__((swiftcall)) void (*UnlockSlow)(CONTEXT void *mutex);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, CONTEXT void *mutex) __asm__(LOCK_SLOW);
__attribute__((swiftcall)) void unlock_slow(CONTEXT void *mutex) __asm__(UNLOCK_SLOW);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, CONTEXT void *mutex) {
  ((LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock_slow(CONTEXT void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  ((UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}
