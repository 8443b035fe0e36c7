#define _GNU_SOURCE
#include "device.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int tell(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return 1;
}

// A loop device that nobody uses; another process may take it first.
static int open_free_loop(int control, char *path, size_t size) {
  int number = ioctl(control, LOOP_CTL_GET_FREE);
  if (number < 0) return -1;
  snprintf(path, size, "/dev/loop%d", number);
  int loop = open(path, O_RDWR | O_CLOEXEC);
  if (loop >= 0 || errno != ENOENT) return loop;
  // Where nothing makes the nodes of devices as they come.
  if (mknod(path, S_IFBLK | 0600, makedev(7, (unsigned)number)) != 0 && errno != EEXIST) return -1;
  return open(path, O_RDWR | O_CLOEXEC);
}

int mount_device(char **arguments) {
  char path[32];
  struct loop_config config;
  memset(&config, 0, sizeof config);
  config.fd = (uint32_t)open(arguments[0], O_RDWR | O_CLOEXEC);
  if ((int)config.fd < 0) return tell(arguments[0]);
  config.block_size = 512;
  // It is detached when its last user lets go of it, however that ends.
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
  snprintf((char *)config.info.lo_file_name, LO_NAME_SIZE, "sediment-case");
  int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return tell("/dev/loop-control");
  int loop;
  for (int count = 0;; count++) {
    loop = open_free_loop(control, path, sizeof path);
    if (loop >= 0 && ioctl(loop, LOOP_CONFIGURE, &config) == 0) break;
    int is_taken = errno == EBUSY || errno == ENXIO;
    if (!is_taken || count == 1000) return tell("a loop device");
    if (loop >= 0) close(loop);
    usleep(5000);
  }
  if (mount(path, arguments[3], arguments[1], MS_NOATIME, arguments[2]) != 0) return tell("mount");
  return 0;
}
