// A block device in memory whose every write, discard and flush is recorded, for the layer `device` of the crash suite.
//
//   CrashDevice serve BASE HISTORY LOG FOLDER   shows a device as a file in a folder, until its standard input ends
//   CrashDevice mount FILE TYPE OPTIONS FOLDER  makes a loop device of such a file, and mounts the file system on it
//
// The device holds the bytes of BASE after the records of HISTORY; both are only read. See device.h for what is recorded,
// and for the commands that the file `control` beside the device takes.

#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include "device.h"
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct device device;

static int is_device(const char *path) { return strcmp(path, "/device") == 0; }
static int is_control(const char *path) { return strcmp(path, "/control") == 0; }

static int get_attributes(const char *path, struct stat *stat, struct fuse_file_info *info) {
  (void)info;
  if (strcmp(path, "/") == 0) {
    stat->st_mode = S_IFDIR | 0700;
    stat->st_nlink = 2;
    return 0;
  }
  if (!is_device(path) && !is_control(path)) return -ENOENT;
  stat->st_mode = S_IFREG | 0600;
  stat->st_nlink = 1;
  stat->st_size = is_device(path) ? (off_t)device.size : 0;
  return 0;
}

static int open_file(const char *path, struct fuse_file_info *info) {
  // Bytes written to `control` have no place in a cache.
  info->direct_io = is_control(path);
  return 0;
}

static int read_bytes(const char *path, char *bytes, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)info;
  return is_device(path) ? device_read(&device, bytes, size, (uint64_t)offset) : 0;
}

static int write_bytes(const char *path, const char *bytes, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)info;
  if (is_control(path)) return device_command(&device, bytes, size);
  return device_write(&device, bytes, size, (uint64_t)offset);
}

static int sync_file(const char *path, int data_only, struct fuse_file_info *info) {
  (void)data_only;
  (void)info;
  return is_device(path) ? device_flush(&device) : 0;
}

static int allocate(const char *path, int mode, off_t offset, off_t size, struct fuse_file_info *info) {
  (void)info;
  if (!is_device(path) || !(mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))) return -EOPNOTSUPP;
  return device_zero(&device, (uint64_t)offset, (uint64_t)size, (mode & FALLOC_FL_PUNCH_HOLE) != 0);
}

// Nothing is cut or grown; opening for writing may ask for it.
static int set_size(const char *path, off_t size, struct fuse_file_info *info) {
  (void)path;
  (void)size;
  (void)info;
  return 0;
}

static const struct fuse_operations operations = {
  .getattr = get_attributes,
  .open = open_file,
  .read = read_bytes,
  .write = write_bytes,
  .fsync = sync_file,
  .fallocate = allocate,
  .truncate = set_size,
};

// Ends the process when the one that started it does, however that ends.
static void *watch_input(void *unused) {
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  _exit(0);
  return unused;
}

static int serve(char **paths) {
  if (device_open(&device, paths[0], paths[1], paths[2]) != 0) return 1;
  char *arguments[] = {"CrashDevice", NULL};
  struct fuse_args list = FUSE_ARGS_INIT(1, arguments);
  struct fuse *fuse = fuse_new(&list, &operations, sizeof operations, NULL);
  if (fuse == NULL || fuse_mount(fuse, paths[3]) != 0) return 1;
  pthread_t thread;
  if (pthread_create(&thread, NULL, watch_input, NULL) != 0) return 1;
  // One byte says that the file is there.
  if (write(STDOUT_FILENO, "+", 1) != 1) return 1;
  // One request at a time, so that the log has them in the order in which they were answered.
  return fuse_loop(fuse);
}

int main(int count, char **arguments) {
  if (count == 6 && strcmp(arguments[1], "serve") == 0) return serve(arguments + 2);
  if (count == 6 && strcmp(arguments[1], "mount") == 0) return mount_device(arguments + 2);
  fprintf(stderr, "CrashDevice: wrong arguments; see the head of device.c\n");
  return 2;
}
