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
  int descriptor = sediment_open(path, flags, mode);
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

// Whether that waits for the end of a scope.
static int is_departing = 0;

static void leave_mappings(void *context) {
  (void)context;
  is_departing = 0;
  for (struct sediment_forked_file *file = first; file != NULL; file = file->next) {
    if (file->descriptor >= 0) continue;
    // The addresses stay taken, for whoever gives them back.
    (void)mmap(
        file->base, file->byte_count, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
}

void sediment_forked_files_before_fork(void) { (void)pthread_mutex_lock(&mutex); }

void sediment_forked_files_after_fork_in_parent(void) { (void)pthread_mutex_unlock(&mutex); }

void sediment_forked_files_after_fork_in_child(void) {
  static struct sediment_departure departure = {.body = leave_mappings};
  int error = errno;
  // Made anew, because the old one may count waiters that do not exist here.
  mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  for (struct sediment_forked_file *file = first; file != NULL; file = file->next) {
    if (file->descriptor >= 0) turn_away(file->descriptor);
  }
  if (sediment_reader_depth() == 0) {
    leave_mappings(NULL);
  } else if (!is_departing) {
    is_departing = 1;
    sediment_reader_depart(&departure);
  }
  errno = error;
}
