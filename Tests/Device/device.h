// A recorded block device in memory, and the faults that it can have.

#include <stddef.h>
#include <stdint.h>

// What a record of the log says. A record is this head, and `length` bytes after it if it is a write or a mark.
// HISTORY has writes and zeros alone.
enum record_kind {
  // Bytes were written.
  record_write = 1,
  // Bytes became zero: a discard, or a write of zeros.
  record_zero = 2,
  // All that was answered before is on the medium.
  record_flush = 3,
  // Something that a process wrote to `control` after the letter m.
  record_mark = 4,
  // A call was answered with an error; nothing of it was done.
  record_failure = 5,
  // A flush was answered with an error: no later one covers what was written before it.
  record_lost_flush = 6,
  // A read was answered with what some of its sectors had before.
  record_old = 7,
};

struct record {
  uint32_t kind;
  uint32_t length;
  uint64_t offset;
};

enum call { call_write, call_read, call_flush, call_zero, call_count };

// A fault of one kind of call.
struct fault {
  // How many calls it is still to hit; -1 for all.
  int64_t count;
  // What they answer; 0 if they only take longer.
  int error;
  // How long they take.
  uint32_t milliseconds;
  // Calls that touch no byte of this range are left alone.
  uint64_t begin, end;
};

struct device {
  unsigned char *bytes;
  uint64_t size;
  int log;
  struct fault faults[call_count];
  // Thin provisioning: pages of 4 KiB that may still be written for the first time, and which were written; -1: no limit.
  int64_t page_room;
  unsigned char *is_page_there;
  // Reads that are still to answer with bytes from elsewhere, how far away these lie, and which reads.
  int64_t misdirected_count;
  int64_t misdirection;
  uint64_t misdirected_begin, misdirected_end;
  // What each sector had before the change that it saw last, and which sectors reads may give that of.
  unsigned char *old_bytes;
  unsigned char *may_be_old;
  // Reads that are still to do so, -1 for all, and of how many sectors each.
  int64_t old_count;
  uint64_t old_sector_count;
};

int device_open(struct device *device, const char *base, const char *history, const char *log);
int device_read(struct device *device, char *bytes, size_t size, uint64_t offset);
int device_write(struct device *device, const char *bytes, size_t size, uint64_t offset);
int device_zero(struct device *device, uint64_t offset, uint64_t size, int is_discard);
int device_flush(struct device *device);

// Takes a command, as text:
//   mTEXT                                              puts a mark into the log
//   fault CALL COUNT ERROR MILLISECONDS BEGIN END      CALL is write, read, flush or zero
//   room PAGES                                         lets so many pages be written that never were; -1: all
//   misdirect COUNT DISTANCE BEGIN END                 lets reads answer with bytes from another place
//   ages BEGIN END                                     says that reads of this range may give old bytes
//   old COUNT SECTORS                                  lets so many reads do so, -1: all, each of so many sectors at most
int device_command(struct device *device, const char *text, size_t size);

// FILE TYPE OPTIONS FOLDER: attaches a loop device to a file and mounts what is on it.
// It goes with the mount: nothing is left to be detached when the last process of its namespace has ended.
int mount_device(char **arguments);
