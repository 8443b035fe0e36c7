#if !defined(__APPLE__)
#define _GNU_SOURCE
#endif
#include "CSedimentForkedFiles.h"

#include "CSedimentReaders.h"
#include "CSedimentSystem.h"
#include "Forks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

// Guards the list. A fork waits for it.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct sediment_forked_file *first = NULL;

static void enter(struct sediment_forked_file *file) {
  file->previous = NULL;
  file->next = first;
  if (first != NULL) first->previous = file;
  first = file;
}

int sediment_open_entered(const char *path, int flags, unsigned mode, struct sediment_forked_file *file) {
  (void)pthread_mutex_lock(&mutex);
  int descriptor = sediment_system_open(path, flags, mode);
  int error = errno;
  if (descriptor >= 0) {
    *file = (struct sediment_forked_file){.descriptor = descriptor};
    enter(file);
  }
  (void)pthread_mutex_unlock(&mutex);
  errno = error;
  return descriptor;
}

void sediment_forked_file_enter(struct sediment_forked_file *file) {
  (void)pthread_mutex_lock(&mutex);
  enter(file);
  (void)pthread_mutex_unlock(&mutex);
}

void sediment_forked_file_remove(struct sediment_forked_file *file) {
  (void)pthread_mutex_lock(&mutex);
  if (file->next != NULL) file->next->previous = file->previous;
  if (file->previous != NULL) {
    file->previous->next = file->next;
  } else {
    first = file->next;
  }
  (void)pthread_mutex_unlock(&mutex);
}

// Lets a number lead to a directory, of which nothing can be read and to which nothing can be written.
static void turn_away(int descriptor) {
  // First, so that there is a number for the other one.
  (void)close(descriptor);
  int other = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (other < 0 || other == descriptor) return;
  if (dup2(other, descriptor) >= 0) (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  (void)close(other);
}

// Whether inherited mappings are to be left; in a parent never.
static int is_leaving = 0;
// Whether a departure of this thread will ask again.
static int is_departing = 0;

// Leaves the inherited mappings if the child's first thread is in no scope, has no hold, and nothing is pinned.
static void leave_unread_mappings(void) {
  if (is_departing || sediment_reader_has_pins()) return;
  __atomic_store_n(&is_leaving, 0, __ATOMIC_RELAXED);
  for (struct sediment_forked_file *file = first; file != NULL; file = file->next) {
    if (file->descriptor >= 0 || !file->is_inherited) continue;
    // The addresses stay taken, for whoever gives them back.
    (void)mmap(
        file->base, file->byte_count, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
}

static void depart(void *context) {
  (void)context;
  (void)pthread_mutex_lock(&mutex);
  is_departing = 0;
  leave_unread_mappings();
  (void)pthread_mutex_unlock(&mutex);
}

void sediment_forked_files_unpinned(void) {
  if (__atomic_load_n(&is_leaving, __ATOMIC_RELAXED) == 0) return;
  (void)pthread_mutex_lock(&mutex);
  if (is_leaving) leave_unread_mappings();
  (void)pthread_mutex_unlock(&mutex);
}

void sediment_forked_files_before_fork(void) { (void)pthread_mutex_lock(&mutex); }

void sediment_forked_files_after_fork_in_parent(void) { (void)pthread_mutex_unlock(&mutex); }

void sediment_forked_files_after_fork_in_child(void) {
  static struct sediment_departure departure = {.body = depart};
  int error = errno;
  // Made anew, because the old one may count waiters that do not exist here.
  mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  for (struct sediment_forked_file *file = first; file != NULL; file = file->next) {
    file->is_inherited = 1;
    if (file->descriptor >= 0) turn_away(file->descriptor);
  }
  is_leaving = 1;
  if (!sediment_reader_is_outside() && !is_departing) {
    is_departing = 1;
    sediment_reader_depart(&departure);
  }
  leave_unread_mappings();
  errno = error;
}
