#define _GNU_SOURCE
#include "device.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const uint64_t page = 4096;
static const uint64_t sector = 512;

static void put(struct device *device, enum record_kind kind, uint64_t offset, const void *bytes, size_t size) {
  int has_bytes = kind == record_write || kind == record_mark;
  struct record record = {kind, (uint32_t)size, offset};
  struct iovec parts[] = {{&record, sizeof record}, {(void *)bytes, has_bytes ? size : 0}};
  // A log with a gap would make images that never were.
  if (writev(device->log, parts, 2) != (ssize_t)(sizeof record + parts[1].iov_len)) abort();
}

static void note_pages(struct device *device, uint64_t offset, uint64_t size, int is_there) {
  // Only whole pages are given back.
  uint64_t first = is_there ? offset / page : (offset + page - 1) / page;
  uint64_t last = is_there ? (offset + size + page - 1) / page : (offset + size) / page;
  for (uint64_t number = first; number < last; number++) device->is_page_there[number] = (unsigned char)is_there;
}

// Gives a range other bytes, or zeros, and keeps what it had. Sectors that do not change are not touched, so they take no
// memory, and old bytes are never the same as the new ones.
static void change(struct device *device, uint64_t offset, const void *bytes, uint64_t size) {
  static const unsigned char zeros[512];
  for (uint64_t done = 0; done < size; done += sector) {
    size_t part = size - done < sector ? size - done : sector;
    const unsigned char *now = bytes == NULL ? zeros : (const unsigned char *)bytes + done;
    unsigned char *place = device->bytes + offset + done;
    if (memcmp(place, now, part) == 0) continue;
    memcpy(device->old_bytes + offset + done, place, part);
    memcpy(place, now, part);
  }
}

static int replay(struct device *device, const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat stat;
  if (file < 0 || fstat(file, &stat) != 0) return -1;
  if (stat.st_size == 0) return close(file);
  unsigned char *bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return -1;
  for (uint64_t at = 0; at + sizeof(struct record) <= (uint64_t)stat.st_size;) {
    struct record record;
    memcpy(&record, bytes + at, sizeof record);
    at += sizeof record;
    if (record.offset + record.length > device->size) return -1;
    if (record.kind == record_zero) {
      change(device, record.offset, NULL, record.length);
    } else {
      change(device, record.offset, bytes + at, record.length);
      at += record.length;
    }
    note_pages(device, record.offset, record.length, record.kind == record_write);
  }
  return munmap(bytes, (size_t)stat.st_size);
}

int device_open(struct device *device, const char *base, const char *history, const char *log) {
  int file = open(base, O_RDONLY | O_CLOEXEC);
  struct stat stat;
  if (file < 0 || fstat(file, &stat) != 0) return -1;
  device->size = (uint64_t)stat.st_size;
  // Copies of its own, of which only what is written takes memory.
  device->bytes = mmap(NULL, device->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  device->old_bytes = mmap(NULL, device->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  device->is_page_there = calloc(1, device->size / page + 1);
  device->may_be_old = calloc(1, device->size / sector + 1);
  if (device->bytes == MAP_FAILED || device->old_bytes == MAP_FAILED) return -1;
  if (device->is_page_there == NULL || device->may_be_old == NULL) return -1;
  for (off_t at = lseek(file, 0, SEEK_DATA); at >= 0; at = lseek(file, at, SEEK_DATA)) {
    off_t end = lseek(file, at, SEEK_HOLE);
    note_pages(device, (uint64_t)at, (uint64_t)(end - at), 1);
    at = end;
  }
  close(file);
  device->page_room = -1;
  device->log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return device->log < 0 ? -1 : replay(device, history);
}

// Whether a fault hits a call: what it answers then, as a negative number.
static int strike(struct device *device, enum call call, uint64_t offset, uint64_t size) {
  struct fault *fault = &device->faults[call];
  if (fault->count == 0 || offset >= fault->end || offset + size <= fault->begin) return 0;
  if (fault->count > 0) fault->count--;
  struct timespec pause = {fault->milliseconds / 1000, (long)(fault->milliseconds % 1000) * 1000000};
  if (fault->milliseconds > 0) nanosleep(&pause, NULL);
  if (fault->error != 0) put(device, call == call_flush ? record_lost_flush : record_failure, offset, NULL, size);
  return -fault->error;
}

// Puts old bytes in place of what a read gives, if there are some that differ.
static void age(struct device *device, char *bytes, size_t size, uint64_t offset) {
  uint64_t left = device->old_count == 0 ? 0 : device->old_sector_count;
  const uint64_t wanted = left;
  for (uint64_t at = 0; at + sector <= size && left > 0; at += sector) {
    const unsigned char *old = device->old_bytes + offset + at;
    if (!device->may_be_old[(offset + at) / sector] || memcmp(bytes + at, old, sector) == 0) continue;
    memcpy(bytes + at, old, sector);
    left--;
  }
  if (left == wanted) return;
  if (device->old_count > 0) device->old_count--;
  put(device, record_old, offset, NULL, size);
}

int device_read(struct device *device, char *bytes, size_t size, uint64_t offset) {
  if (offset >= device->size) return 0;
  if (size > device->size - offset) size = device->size - offset;
  int error = strike(device, call_read, offset, size);
  if (error != 0) return error;
  uint64_t place = offset;
  if (device->misdirected_count > 0 && offset < device->misdirected_end && offset + size > device->misdirected_begin) {
    uint64_t other = offset + (uint64_t)device->misdirection;
    if (other < device->size && other + size <= device->size) {
      device->misdirected_count--;
      put(device, record_failure, offset, NULL, size);
      place = other;
    }
  }
  memcpy(bytes, device->bytes + place, size);
  if (place == offset) age(device, bytes, size, offset);
  return (int)size;
}

// Takes room for pages that were never written, if there is as much.
static int take_room(struct device *device, uint64_t offset, uint64_t size) {
  if (device->page_room < 0) return 0;
  int64_t count = 0;
  for (uint64_t number = offset / page; number * page < offset + size; number++) count += !device->is_page_there[number];
  if (count > device->page_room) return -1;
  device->page_room -= count;
  return 0;
}

int device_write(struct device *device, const char *bytes, size_t size, uint64_t offset) {
  if (offset > device->size || size > device->size - offset) return -ENOSPC;
  int error = strike(device, call_write, offset, size);
  if (error != 0) return error;
  if (take_room(device, offset, size) != 0) {
    put(device, record_failure, offset, NULL, size);
    return -ENOSPC;
  }
  change(device, offset, bytes, size);
  note_pages(device, offset, size, 1);
  put(device, record_write, offset, bytes, size);
  return (int)size;
}

int device_zero(struct device *device, uint64_t offset, uint64_t size, int is_discard) {
  if (offset > device->size || size > device->size - offset) return -EINVAL;
  int error = strike(device, call_zero, offset, size);
  if (error != 0) return error;
  change(device, offset, NULL, size);
  if (is_discard) note_pages(device, offset, size, 0);
  put(device, record_zero, offset, NULL, size);
  return 0;
}

int device_flush(struct device *device) {
  int error = strike(device, call_flush, 0, device->size);
  if (error == 0) put(device, record_flush, 0, NULL, 0);
  return error;
}

static int fault_command(struct device *device, const char *text) {
  static const char *names[] = {"write", "read", "flush", "zero"};
  char name[8];
  struct fault fault;
  if (sscanf(text, "fault %7s %ld %d %u %lu %lu", name, &fault.count, &fault.error, &fault.milliseconds, &fault.begin,
             &fault.end) != 6)
    return -EINVAL;
  for (int call = 0; call < call_count; call++) {
    if (strcmp(names[call], name) == 0) {
      device->faults[call] = fault;
      return 0;
    }
  }
  return -EINVAL;
}

static int age_command(struct device *device, const char *text) {
  uint64_t begin, end;
  if (sscanf(text, "old %ld %lu", &device->old_count, &device->old_sector_count) == 2) return 0;
  if (sscanf(text, "ages %lu %lu", &begin, &end) != 2 || begin > end || end > device->size) return -EINVAL;
  memset(device->may_be_old + begin / sector, 1, (end - begin) / sector);
  return 0;
}

int device_command(struct device *device, const char *text, size_t size) {
  char line[256];
  if (size > 0 && text[0] == 'm') {
    put(device, record_mark, 0, text + 1, size - 1);
    return (int)size;
  }
  if (size >= sizeof line) return -EINVAL;
  memcpy(line, text, size);
  line[size] = 0;
  int is_known = fault_command(device, line) == 0 || age_command(device, line) == 0 ||
                 sscanf(line, "room %ld", &device->page_room) == 1 ||
                 sscanf(line, "misdirect %ld %ld %lu %lu", &device->misdirected_count, &device->misdirection,
                        &device->misdirected_begin, &device->misdirected_end) == 4;
  return is_known ? (int)size : -EINVAL;
}
