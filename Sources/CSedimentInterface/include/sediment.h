#ifndef SEDIMENT_H
#define SEDIMENT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define SEDIMENT_API __attribute__((visibility("default")))
#else
#define SEDIMENT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// # Sediment for C
///
/// Sediment keeps keys and values in one file. This header is its whole interface for C11 and C++.
///
/// - **Handles** are pointers that lead nowhere: the library looks them up in a table. A handle that is null, closed,
///   of another kind or invented is refused with a status.
/// - **Statuses.** A function that can fail returns a `sediment_status`: 0 for success, a positive number for an answer
///   that is no failure, such as "the key has no value", and a negative one for a failure. Test `status < 0`.
///   `sediment_last_error` says what happened and what to do.
/// - **Out arguments** are written by calls that succeed; those that do not leave them as they were, except where it
///   says otherwise.
/// - **Threads** may call anything at any time. Reads take no lock.
/// - **Bytes** are a pointer and a size. The pointer may be null if the size is 0. Keys may be empty.
/// - **Text** ends with a zero byte and is UTF-8.
/// - **Structures** begin with their own size. Their `..._INIT` macros fill that in and set everything else to 0, which
///   means the default. A structure whose size the library does not know is refused.
/// - **Times** are in milliseconds; those of the wall clock count from 1970.
/// - **Callbacks** get the context that was passed with them. They may call the library. A C++ exception must not leave
///   them.
/// - **Forks.** After a fork, the child may not use the stores of its parent: calls return `SEDIMENT_FORKED`. Bytes that
///   lie in a store, as pinned ones do, stay as they are in the child only as long as in its parent.

/// # Versions

/// The version of this header: major x 1,000,000 + minor x 1,000 + patch.
///
/// `SEDIMENT_OPTIONS_INIT` passes it to `sediment_open`, which refuses a program that was compiled for another major
/// version than the library's, or for a newer minor one.
#define SEDIMENT_VERSION_NUMBER 1000

/// Returns the version of the library, in the form of `SEDIMENT_VERSION_NUMBER`.
SEDIMENT_API uint32_t sediment_version_number(void);

/// Returns the version of the library as text, such as "0.1.0".
SEDIMENT_API const char *sediment_version(void);

/// Returns the version of the format in which the library writes files, such as "1.0".
SEDIMENT_API const char *sediment_format_version(void);

/// Returns the version of the libzstd that the library uses.
SEDIMENT_API const char *sediment_zstd_version(void);

/// # Statuses and errors

/// What came of a call. The numbers never change; later versions may add more.
typedef enum sediment_status {
  /// The call did what was asked.
  SEDIMENT_OK = 0,
  /// The key, collection or file has nothing that could be returned or removed.
  SEDIMENT_ABSENT = 1,
  /// The condition of the change did not hold, so that nothing was changed.
  SEDIMENT_UNCHANGED = 2,
  /// The caller's buffer is too small. The size that it takes was told.
  SEDIMENT_SHORT = 3,
  /// The iteration has no more keys.
  SEDIMENT_END = 4,

  /// An argument breaks the rules of this header; the message names it.
  SEDIMENT_MISUSE = -1,
  /// The handle, or the store that it belongs to, was closed before.
  SEDIMENT_CLOSED = -2,
  /// Another call uses the batch or the iteration at this moment.
  SEDIMENT_BUSY = -3,
  /// There is no memory for what was asked.
  SEDIMENT_NO_MEMORY = -4,
  /// The program was compiled for a version of the library that does not go with this one.
  SEDIMENT_VERSION_MISMATCH = -5,

  /// There is no file at the path, or no directory for it.
  SEDIMENT_NOT_FOUND = -10,
  /// There is a file at the path already.
  SEDIMENT_EXISTS = -11,
  /// The file was not made by Sediment.
  SEDIMENT_FOREIGN = -12,
  /// The file was made by a newer version.
  SEDIMENT_NEWER = -13,
  /// The file is damaged.
  SEDIMENT_DAMAGED = -14,
  /// There is no room: the disk, the user's share of it or the store's capacity is used up.
  SEDIMENT_OUT_OF_SPACE = -15,
  /// The process has no right to read or write the file.
  SEDIMENT_ACCESS_DENIED = -16,
  /// A number or a table of the file has reached the limit of the format.
  SEDIMENT_EXHAUSTED = -17,
  /// The operating system failed in another way; see `system_error` of `sediment_error`.
  SEDIMENT_INPUT_OUTPUT = -18,
  /// The file is open elsewhere, in another process or in this one.
  SEDIMENT_LOCKED = -19,
  /// The process is a fork of the one that opened the store, and cannot use it.
  SEDIMENT_FORKED = -20,
  /// The store was opened for reading.
  SEDIMENT_READ_ONLY = -21,
  /// A key, value or batch is larger than a store takes.
  SEDIMENT_TOO_LARGE = -22,
  /// A write or sync failed: changes that were not synced before may be lost, and the store takes no further changes.
  SEDIMENT_OUTCOME_UNKNOWN = -23,
  /// A name, an option, or a collection of another store is not possible.
  SEDIMENT_INVALID_ARGUMENT = -24,
  /// The collection was dropped before.
  SEDIMENT_COLLECTION_DROPPED = -25,
  /// A callback stopped the call.
  SEDIMENT_CANCELLED = -26,
  /// Any other failure.
  SEDIMENT_FAILED = -99
} sediment_status;

/// What a failed call says of its failure. It never contains keys or values.
typedef struct sediment_error {
  /// The size of this structure.
  size_t size;
  /// A `sediment_status` below 0.
  int32_t status;
  /// The `errno` of the system call that failed, or 0.
  int32_t system_error;
  /// 1 if the failure is at one place of the file, else 0.
  int32_t has_offset;
  /// 0.
  int32_t reserved;
  /// The byte of the file where the failure is.
  uint64_t offset;
  /// What happened and what can be done about it.
  const char *message;
  /// The path of the store's file; empty if the failure has none.
  const char *path;
  /// All of it in one line: path, offset, message and what the system said.
  const char *description;
} sediment_error;

/// Returns the failure of this thread's last call that failed, or null if none has failed.
///
/// It is valid until the next call on this thread fails, or the thread ends. Calls that do not fail leave it as it is.
SEDIMENT_API const sediment_error *sediment_last_error(void);

/// Returns the name of a status, such as "damaged"; "unknown" for any other number.
SEDIMENT_API const char *sediment_status_name(int32_t status);

/// Frees memory that the library allocated for the caller; null is allowed.
///
/// As with `free`, the pointer must be one that the library returned and that was not freed before: this is the one
/// argument that is not checked.
SEDIMENT_API void sediment_free(void *memory);

/// # Types

/// An open file.
typedef struct sediment_store sediment_store;

/// The keys of a store that are in no named collection, or those of a named one.
typedef struct sediment_collection sediment_collection;

/// Changes that are made all together or not at all.
typedef struct sediment_batch sediment_batch;

/// A walk through the keys of a collection.
typedef struct sediment_iteration sediment_iteration;

/// Bytes that somebody else owns.
typedef struct sediment_bytes {
  /// The first byte; in results, null where there is no value.
  const void *data;
  /// How many there are.
  size_t size;
} sediment_bytes;

/// What callbacks return that are called again and again.
typedef enum sediment_step {
  /// The call goes on.
  SEDIMENT_CONTINUE = 0,
  /// The call ends. A long call then returns `SEDIMENT_CANCELLED`, a walk or reading `SEDIMENT_OK`.
  SEDIMENT_STOP = 1
} sediment_step;

/// Is told how far a long call has come, in bytes that are done and bytes that there are, on the thread that works.
///
/// It returns a `sediment_step`. At the end it is called once more with both numbers equal, and may not stop any more.
typedef int (*sediment_progress_fn)(void *context, uint64_t done, uint64_t total);

/// # Opening

/// What a change survives once its call has returned. Every change survives the death of the process.
typedef enum sediment_durability {
  /// As the options of the store say; in these, at intervals of a second.
  SEDIMENT_DURABILITY_DEFAULT = 0,
  /// The system writes the change to the disk when it likes.
  SEDIMENT_UNSYNCED = 1,
  /// The store syncs in the background at most `interval` after the change.
  SEDIMENT_INTERVAL = 2,
  /// The change is on the disk when the call returns. Calls of several threads share a sync.
  SEDIMENT_SYNCED = 3
} sediment_durability;

/// How large the file may become, and what happens then.
typedef enum sediment_capacity {
  /// As large as the disk allows.
  SEDIMENT_UNLIMITED = 0,
  /// At most `capacity_bytes`: a change for which there is no room returns `SEDIMENT_OUT_OF_SPACE`.
  SEDIMENT_LIMITED = 1,
  /// At most `capacity_bytes`: what was not read lately makes room for what is new.
  SEDIMENT_EVICTING = 2
} sediment_capacity;

/// When the space of values that were replaced, removed or have expired is won back.
typedef enum sediment_compaction {
  /// In the background, as far as it pays.
  SEDIMENT_COMPACTION_AUTOMATIC = 0,
  /// When `sediment_compact` is called, and when a change finds no room otherwise.
  SEDIMENT_COMPACTION_MANUAL = 1,
  /// Never.
  SEDIMENT_COMPACTION_OFF = 2
} sediment_compaction;

/// How new values are compressed, each by itself and only if that saves an eighth of it.
typedef enum sediment_compression {
  /// By zstd with a quick level, and with dictionaries that the store trains for small values.
  SEDIMENT_COMPRESSION_AUTOMATIC = 0,
  /// By zstd with `compression_level`, 1 to 19, without dictionaries.
  SEDIMENT_COMPRESSION_ZSTD = 1,
  /// Not at all.
  SEDIMENT_COMPRESSION_OFF = 2
} sediment_compression;

/// Bits of `flags` of `sediment_options`.
typedef enum sediment_option_flag {
  /// The store is only read, which any number of processes may do at a time. The file must be there.
  SEDIMENT_READ_ONLY_ACCESS = 1,
  /// A file that is not there is an error instead of being made.
  SEDIMENT_MUST_EXIST = 2,
  /// The file is read and written by system calls alone, never mapped into memory.
  SEDIMENT_UNMAPPED = 4,
  /// Reads do not compare checksums.
  SEDIMENT_UNVERIFIED_READS = 8,
  /// The index is not stored in the file.
  SEDIMENT_NO_STORED_INDEX = 16
} sediment_option_flag;

/// What opening a store found and did.
typedef struct sediment_recovery {
  /// The size of this structure.
  size_t size;
  /// 1 if the last process that wrote the file closed it, else 0.
  int32_t was_closed;
  /// 1 if everything that the store returns now would survive a power failure, else 0.
  int32_t is_durable;
  /// How many records behind the last checkpoint were read again, and their bytes.
  uint64_t replayed_records, replayed_bytes;
  /// How many keys come from the stored index.
  uint64_t stored_keys;
  /// How many records were read for keys that the stored index did not have, and their bytes.
  uint64_t scanned_records, scanned_bytes;
  /// Where the log ended if the file was not closed; else 0. What was written behind it is gone.
  uint64_t cut_offset;
  /// In words, what is there instead of a record; null if there is nothing to say. It is valid until the store is
  /// closed, and in an observer until that returns.
  const char *cut_reason;
  /// How long opening took.
  uint64_t nanoseconds;
} sediment_recovery;

/// A `sediment_recovery` for `sediment_get_recovery` to fill.
#define SEDIMENT_RECOVERY_INIT { sizeof(sediment_recovery), 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0 }

/// What happened to a store.
typedef enum sediment_event_kind {
  /// The store was opened: `recovery` says what that found.
  SEDIMENT_EVENT_RECOVERED = 1,
  /// A sync has ended, which took `nanoseconds`: every change made before it is on the disk.
  SEDIMENT_EVENT_SYNCED = 2,
  /// A segment of the log is full, and the log goes on in another one.
  SEDIMENT_EVENT_SEGMENT_SEALED = 3,
  /// A checkpoint was written, from which the next recovery begins.
  SEDIMENT_EVENT_CHECKPOINT = 4,
  /// Work of the background failed, or a failure made the store refuse further changes: `error` says why.
  SEDIMENT_EVENT_FAILED = 5,
  /// The store was closed.
  SEDIMENT_EVENT_CLOSED = 6
} sediment_event_kind;

/// An event, for the observer. Later versions may have more kinds.
typedef struct sediment_event {
  /// The size of this structure.
  size_t size;
  /// A `sediment_event_kind`.
  int32_t kind;
  /// 0.
  int32_t reserved;
  /// Of `SEDIMENT_EVENT_SYNCED`.
  uint64_t nanoseconds;
  /// Of `SEDIMENT_EVENT_RECOVERED`, else null; valid until the observer returns.
  const sediment_recovery *recovery;
  /// Of `SEDIMENT_EVENT_FAILED`, else null; valid until the observer returns.
  const sediment_error *error;
} sediment_event;

/// Is called for each event of a store, in their order, soon after the event, on a thread of the library.
///
/// All stores of the process share these threads, so it must return soon, and must not wait for a thread that closes a
/// store.
typedef void (*sediment_observer_fn)(void *context, const sediment_event *event);

/// How a store is opened and run. Begin with `SEDIMENT_OPTIONS_INIT`.
typedef struct sediment_options {
  /// The size of this structure.
  size_t size;
  /// `SEDIMENT_VERSION_NUMBER`.
  uint32_t version;
  /// Bits of `sediment_option_flag`.
  uint32_t flags;
  /// A `sediment_durability`: that of changes whose call says nothing else.
  int32_t durability;
  /// A `sediment_capacity`.
  int32_t capacity;
  /// A `sediment_compaction`.
  int32_t compaction;
  /// A `sediment_compression`.
  int32_t compression;
  /// 1 to 19 with `SEDIMENT_COMPRESSION_ZSTD`, else 0.
  int32_t compression_level;
  /// The permission bits of the file if it is made, such as 0640, less those of the process's mask; 0 stands for 0600. The
  /// owner must be allowed to read and write. Whoever may read the file can keep writers from opening it.
  int32_t mode;
  /// Milliseconds, at least 1, with `SEDIMENT_INTERVAL`; else 0.
  int64_t interval;
  /// The bytes of the whole file with `SEDIMENT_LIMITED` and `SEDIMENT_EVICTING`; else 0.
  uint64_t capacity_bytes;
  /// Is told of events, or null.
  sediment_observer_fn observer;
  /// The context of the observer. It must stay valid until the observer was told `SEDIMENT_EVENT_CLOSED`, which is
  /// before `sediment_close` returns unless that does not wait.
  void *observer_context;
} sediment_options;

/// Options that say nothing but the defaults.
#define SEDIMENT_OPTIONS_INIT \
  { sizeof(sediment_options), SEDIMENT_VERSION_NUMBER, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL }

/// Opens the store at a path, and makes it, with the directories of the path, unless the options say that it must be
/// there. Null options are the defaults.
///
/// After a crash, opening recovers the store. A file that is damaged, of another kind or of a newer version stays as it
/// is, and is refused; an empty one is replaced by a new store. Symbolic links are followed. Close the store with
/// `sediment_close`.
SEDIMENT_API sediment_status sediment_open(
    const char *path, const sediment_options *options, sediment_store **store);

/// Syncs all changes, closes the file and ends the handle, whatever it returns.
///
/// Calls on other threads finish, or return `SEDIMENT_CLOSED`. Other handles of the store return that from now on, and
/// are closed as usual. The call waits for callbacks that read in place on other threads, so these must not wait
/// for it. Called in such a callback, or while values are pinned, it does not wait: the file is let go of when the
/// callback has returned and the last value was unpinned; the call that unpins it waits for callbacks as this one does.
SEDIMENT_API sediment_status sediment_close(sediment_store *store);

/// Tells what opening the store found and did.
SEDIMENT_API sediment_status sediment_get_recovery(sediment_store *store, sediment_recovery *recovery);

/// # Collections

/// Returns the collection without a name, in which all keys are that are in no named one; null if the store is no open
/// one.
///
/// The handle belongs to the store: it is not closed, and ends with the store.
SEDIMENT_API sediment_collection *sediment_default_collection(sediment_store *store);

/// Opens the collection of a name, and makes it if it is not there. Close it with `sediment_collection_close`.
///
/// Names have 1 to 255 bytes of UTF-8. Each call returns another handle. An open handle keeps memory of the store, also
/// after that is closed.
SEDIMENT_API sediment_status sediment_collection_open(
    sediment_store *store, const char *name, sediment_collection **collection);

/// Ends a handle that `sediment_collection_open` returned. The collection stays.
SEDIMENT_API sediment_status sediment_collection_close(sediment_collection *collection);

/// Is called with a name, which is valid until it returns. It returns a `sediment_step`.
typedef int (*sediment_name_fn)(void *context, const char *name);

/// Calls a callback with the names of all named collections, in the order of their bytes.
SEDIMENT_API sediment_status sediment_collection_names(
    sediment_store *store, sediment_name_fn callback, void *context);

/// # Changes

/// When a value expires: from then on its key has no value.
typedef enum sediment_expiry_kind {
  /// As the call says: `sediment_set` and `sediment_set_if_absent` take it as never, calls that replace as unchanged.
  SEDIMENT_EXPIRY_DEFAULT = 0,
  /// Never.
  SEDIMENT_EXPIRY_NEVER = 1,
  /// When the present value of the key expires.
  SEDIMENT_EXPIRY_UNCHANGED = 2,
  /// `expiry_time` after now.
  SEDIMENT_EXPIRY_AFTER = 3,
  /// At `expiry_time` of the wall clock, which is at least 1. A time that has passed is no error: the key then has no
  /// value.
  SEDIMENT_EXPIRY_AT = 4
} sediment_expiry_kind;

/// How a change is made. Begin with `SEDIMENT_CHANGE_INIT`. Where a call takes one, null stands for the defaults.
typedef struct sediment_change {
  /// The size of this structure.
  size_t size;
  /// A `sediment_durability`.
  int32_t durability;
  /// A `sediment_expiry_kind`. Calls that give no value an expiry take only `SEDIMENT_EXPIRY_DEFAULT`.
  int32_t expiry;
  /// Milliseconds, at least 1, with `SEDIMENT_INTERVAL`; else 0.
  int64_t interval;
  /// Milliseconds, with `SEDIMENT_EXPIRY_AFTER` and `SEDIMENT_EXPIRY_AT`; else 0.
  int64_t expiry_time;
} sediment_change;

/// A change with the defaults.
#define SEDIMENT_CHANGE_INIT { sizeof(sediment_change), 0, 0, 0, 0 }

/// Gives a key a value.
///
/// Keys have at most 65,535 bytes and values at most 1 GiB. A call that fails has changed nothing, except with
/// `SEDIMENT_OUTCOME_UNKNOWN`: then the next opening may find the change or not. So do all changes.
SEDIMENT_API sediment_status sediment_set(
    sediment_collection *collection, const void *key, size_t key_size, const void *value, size_t value_size,
    const sediment_change *change);

/// Gives a key a value only if it has none; else returns `SEDIMENT_UNCHANGED`.
SEDIMENT_API sediment_status sediment_set_if_absent(
    sediment_collection *collection, const void *key, size_t key_size, const void *value, size_t value_size,
    const sediment_change *change);

/// Replaces the value of a key by another only if it is the expected one; else returns `SEDIMENT_UNCHANGED`.
///
/// A null `expected` stands for no value, and a null `value` removes the key.
SEDIMENT_API sediment_status sediment_compare_and_set(
    sediment_collection *collection, const void *key, size_t key_size, const sediment_bytes *expected,
    const sediment_bytes *value, const sediment_change *change);

/// What the callback of `sediment_update` wants.
typedef enum sediment_update_step {
  /// The key gets the bytes that the callback stored in `value`.
  SEDIMENT_UPDATE_SET = 0,
  /// The key gets no value.
  SEDIMENT_UPDATE_REMOVE = 1,
  /// Nothing is changed, and the call returns `SEDIMENT_CANCELLED`.
  SEDIMENT_UPDATE_CANCEL = 2
} sediment_update_step;

/// Is given the value of a key, or null if it has none, and stores another one. It returns a `sediment_update_step`.
///
/// The old value is valid until it returns; the new one has to stay valid until it is called again or `sediment_update`
/// returns.
typedef int (*sediment_update_fn)(void *context, const sediment_bytes *old, sediment_bytes *value);

/// Replaces the value of a key by what a callback makes of it, in one step.
///
/// If somebody else changes the key meanwhile, the callback is called again, with the new value.
SEDIMENT_API sediment_status sediment_update(
    sediment_collection *collection, const void *key, size_t key_size, const sediment_change *change,
    sediment_update_fn callback, void *context);

/// Removes the value of a key; returns `SEDIMENT_ABSENT` if it has none.
SEDIMENT_API sediment_status sediment_remove(
    sediment_collection *collection, const void *key, size_t key_size, const sediment_change *change);

/// Removes all keys of a collection at once.
SEDIMENT_API sediment_status sediment_remove_all(sediment_collection *collection, const sediment_change *change);

/// Gives the value of a key the expiry of the change; returns `SEDIMENT_ABSENT` if it has no value.
SEDIMENT_API sediment_status sediment_set_expiry(
    sediment_collection *collection, const void *key, size_t key_size, const sediment_change *change);

/// Removes all keys of all collections at once. The collections stay.
SEDIMENT_API sediment_status sediment_remove_everything(sediment_store *store, const sediment_change *change);

/// Removes a collection with all its keys; returns `SEDIMENT_ABSENT` if there is none of that name.
///
/// Handles of it return `SEDIMENT_COLLECTION_DROPPED` from then on.
SEDIMENT_API sediment_status sediment_collection_drop(
    sediment_store *store, const char *name, const sediment_change *change);

/// Returns once every change that was made before is on the disk.
SEDIMENT_API sediment_status sediment_sync(sediment_store *store);

/// Is told what came of a sync: a `sediment_status` and, if that is negative, the failure, which is valid until it
/// returns.
typedef void (*sediment_sync_fn)(void *context, int32_t status, const sediment_error *error);

/// Calls a callback exactly once, as soon as every change that was made before is on the disk or that has failed.
///
/// It is called on this thread if they are, and otherwise on one of the library or on the one that closes the store. If
/// the call fails, the callback is not called.
SEDIMENT_API sediment_status sediment_sync_later(sediment_store *store, sediment_sync_fn callback, void *context);

/// # Batches

/// Begins a batch of changes, of any collections of the store. End it with `sediment_batch_commit` or
/// `sediment_batch_abandon`.
///
/// A batch is used by one thread at a time; a call meanwhile returns `SEDIMENT_BUSY`.
SEDIMENT_API sediment_status sediment_batch_begin(sediment_store *store, sediment_batch **batch);

/// Adds a change that gives a key a value. Of `change` only the expiry may be set, and it must not be
/// `SEDIMENT_EXPIRY_UNCHANGED`.
///
/// After a failure other than `SEDIMENT_BUSY` and `SEDIMENT_MISUSE` the batch can only be abandoned: committing it
/// returns the same failure. For keys in no named collection, a child of a fork is told by the commit.
SEDIMENT_API sediment_status sediment_batch_set(
    sediment_batch *batch, sediment_collection *collection, const void *key, size_t key_size, const void *value,
    size_t value_size, const sediment_change *change);

/// Adds a change that removes the value of a key; fails as `sediment_batch_set` does.
SEDIMENT_API sediment_status sediment_batch_remove(
    sediment_batch *batch, sediment_collection *collection, const void *key, size_t key_size);

/// Makes all changes of a batch, or none if it fails, and ends the batch either way, except with `SEDIMENT_BUSY` and
/// `SEDIMENT_MISUSE`. Of `change` only the durability may be set.
///
/// Readers see all changes or none, also after a crash. Of several changes of one key the last counts.
SEDIMENT_API sediment_status sediment_batch_commit(sediment_batch *batch, const sediment_change *change);

/// Ends a batch without making its changes.
SEDIMENT_API sediment_status sediment_batch_abandon(sediment_batch *batch);

/// # Reading

/// Copies the value of a key into a buffer, and tells its size.
///
/// Returns `SEDIMENT_SHORT`, and copies nothing, if the buffer is smaller than the value. Both tell the size in
/// `value_size`. Returns `SEDIMENT_ABSENT` if the key has no value.
SEDIMENT_API sediment_status sediment_get(
    sediment_collection *collection, const void *key, size_t key_size, void *buffer, size_t buffer_size,
    size_t *value_size);

/// Copies the value of a key into new memory, to be freed by `sediment_free`; returns `SEDIMENT_ABSENT` if it has none.
///
/// A zero byte follows the value, which `value_size` does not count. An empty value has memory, too.
SEDIMENT_API sediment_status sediment_get_copy(
    sediment_collection *collection, const void *key, size_t key_size, void **value, size_t *value_size);

/// Is called with a value where it lies, and when it expires, 0 for never. The bytes are valid until it returns.
typedef void (*sediment_value_fn)(void *context, const void *value, size_t value_size, uint64_t expires_at);

/// Calls a callback with the value of a key, without a copy; returns `SEDIMENT_ABSENT`, and calls nothing, if it has
/// none.
///
/// It is the quickest way to a value. Until the callback returns, only the segment in which the value lies is kept from
/// being used again.
SEDIMENT_API sediment_status sediment_read(
    sediment_collection *collection, const void *key, size_t key_size, sediment_value_fn callback, void *context);

/// A value that stays readable where it lies until it is unpinned.
typedef struct sediment_pinned {
  /// The value.
  const void *data;
  /// Its size.
  size_t size;
  /// When it expires, 0 for never.
  uint64_t expires_at;
  /// By what the library knows it.
  uintptr_t token;
} sediment_pinned;

/// Pins the value of a key; returns `SEDIMENT_ABSENT` if it has none.
///
/// The bytes stay as they are until `sediment_unpin`, on any thread, even if the key is set or the store is closed
/// meanwhile. Until then the segment in which the value lies is not used again, and a closed store keeps its file.
SEDIMENT_API sediment_status sediment_pin(
    sediment_collection *collection, const void *key, size_t key_size, sediment_pinned *pinned);

/// Gives a pinned value back, and sets the structure to 0. A second time returns `SEDIMENT_MISUSE`, and for a copy of
/// the structure `SEDIMENT_CLOSED`.
SEDIMENT_API sediment_status sediment_unpin(sediment_pinned *pinned);

/// Returns `SEDIMENT_OK` if a key has a value, else `SEDIMENT_ABSENT`.
SEDIMENT_API sediment_status sediment_contains(sediment_collection *collection, const void *key, size_t key_size);

/// Tells how many keys have a value. If some values expire, it looks at every key.
SEDIMENT_API sediment_status sediment_count(sediment_collection *collection, uint64_t *count);

/// Tells when the value of a key expires, 0 for never; returns `SEDIMENT_ABSENT` if it has none.
SEDIMENT_API sediment_status sediment_get_expiry(
    sediment_collection *collection, const void *key, size_t key_size, uint64_t *expires_at);

/// Copies the values of many keys: `values[i]` is that of `keys[i]`, with null `data` if it has none.
///
/// The values lie in one piece of memory, which is stored in `memory` and freed by `sediment_free`. This is quicker
/// than one call for each key. Changes that others make meanwhile may be seen for some keys and not for others.
SEDIMENT_API sediment_status sediment_get_many(
    sediment_collection *collection, const sediment_bytes *keys, size_t count, sediment_bytes *values, void **memory);

/// Is called with the number of a key among those that were asked for, its value, null if it has none, and when that
/// expires. The bytes are valid until it returns. It returns a `sediment_step`.
typedef int (*sediment_values_fn)(void *context, size_t number, const sediment_bytes *value, uint64_t expires_at);

/// Calls a callback for each of many keys, in their order, without copies of the values.
SEDIMENT_API sediment_status sediment_read_many(
    sediment_collection *collection, const sediment_bytes *keys, size_t count, sediment_values_fn callback,
    void *context);

/// # Walking through keys

/// Is called with a key and its value where they lie; for walks without values, the value is null. The bytes are valid
/// until it returns. It returns a `sediment_step`.
typedef int (*sediment_entry_fn)(void *context, const sediment_bytes *key, const sediment_bytes *value);

/// Bits of the flags of walks.
typedef enum sediment_walk_flag {
  /// The walk reads no values.
  SEDIMENT_KEYS_ONLY = 1,
  /// The keys come in ascending order of their bytes. They are all gathered first.
  SEDIMENT_SORTED = 2
} sediment_walk_flag;

/// Calls a callback with each key that begins with a prefix, in no order. An empty prefix means all keys.
///
/// The only flag that it takes is `SEDIMENT_KEYS_ONLY`. It looks at every key of the store. It is not a snapshot: a key
/// that has a value the whole time comes exactly once, and one that is set first or removed meanwhile may come or not.
SEDIMENT_API sediment_status sediment_each(
    sediment_collection *collection, const void *prefix, size_t prefix_size, uint32_t flags,
    sediment_entry_fn callback, void *context);

/// Begins a walk through the keys that begin with a prefix. End it with `sediment_iteration_end`.
///
/// It promises what `sediment_each` does. An iteration is used by one thread at a time; a call meanwhile returns
/// `SEDIMENT_BUSY`. If a record is damaged, or a value cannot be read, one call says so, and the next goes on; any other
/// failure ends the walk.
SEDIMENT_API sediment_status sediment_iterate(
    sediment_collection *collection, const void *prefix, size_t prefix_size, uint32_t flags,
    sediment_iteration **iteration);

/// Goes on to the next key; returns `SEDIMENT_END` if there is none.
///
/// The bytes are copies, and valid until the next call with this iteration. `value` may be null, and gets null `data`
/// from a walk without values.
SEDIMENT_API sediment_status sediment_iteration_next(
    sediment_iteration *iteration, sediment_bytes *key, sediment_bytes *value);

/// Ends a walk.
SEDIMENT_API sediment_status sediment_iteration_end(sediment_iteration *iteration);

/// # Figures

/// What compression made of values in this opening.
typedef struct sediment_compression_figures {
  /// How many values were set, and how many of these were stored compressed.
  uint64_t values, compressed_values;
  /// The bytes of the values, and those that they take in the file.
  uint64_t value_bytes, stored_bytes;
  /// About how long compressing took, on all threads together.
  uint64_t nanoseconds;
} sediment_compression_figures;

/// Figures of a store at one moment. Those "ever" count from when the file was made, those "now" from this opening on.
typedef struct sediment_statistics {
  /// The size of this structure.
  size_t size;
  /// How many keys all collections have; expired ones are among them until they are deleted.
  uint64_t live_keys;
  /// The bytes of the file.
  uint64_t file_bytes;
  /// The bytes of records that hold present values, and of those that compaction will leave out.
  uint64_t live_bytes, dead_bytes;
  /// The bytes of the file that are not in use, and those of them that were given back to the file system.
  uint64_t free_bytes, hole_bytes;
  /// How many segments the file has, and how many named collections.
  uint64_t segments, collections;
  /// The bytes of memory that the index takes, and those of the file that the stored index takes.
  uint64_t index_bytes, stored_index_bytes;
  /// The bytes of the log that are not in the stored index.
  uint64_t unstored_log_bytes;
  /// The bytes of keys and values that were set ever, of records written ever, and of those that compaction moved.
  uint64_t user_bytes, written_bytes, moved_bytes;
  /// How many keys were left out ever because they were not read lately, and because they had expired.
  uint64_t evicted_keys, expired_keys;
  /// The bytes that compaction has still to win back.
  uint64_t compaction_debt_bytes;
  /// How often a record was written on average, now and ever.
  double write_amplification, lifetime_write_amplification;
  /// What was compressed now.
  sediment_compression_figures compression;
  /// How many dictionaries the file has, their bytes, and how many were damaged when the store was opened.
  uint64_t dictionaries, dictionary_bytes, lost_dictionaries;
  /// How long the background trained dictionaries now.
  uint64_t training_nanoseconds;
  /// How often the file was synced now.
  uint64_t syncs;
  /// The number of the last change.
  uint64_t sequence;
  /// For how long the sync that is under way has waited for the disk; 0 if none is under way.
  uint64_t syncing_nanoseconds;
  /// The memory that the process could have when the store chose how to read; 0 if it is not known, or the file is short.
  uint64_t memory_bytes;
  /// 1 if records are read by calls, because of the options, or since the file is on no local file system or larger than
  /// the memory; 0 if they are read where they lie in the mapped file.
  uint64_t reads_by_calls;
} sediment_statistics;

/// A `sediment_statistics` for `sediment_get_statistics` to fill.
#define SEDIMENT_STATISTICS_INIT \
  { sizeof(sediment_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    { 0, 0, 0, 0, 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// Tells the figures of a store.
SEDIMENT_API sediment_status sediment_get_statistics(sediment_store *store, sediment_statistics *statistics);

/// Is called with a collection's name, empty for the one without a name, and what was compressed in it. It returns a
/// `sediment_step`.
typedef int (*sediment_compression_fn)(
    void *context, const char *name, const sediment_compression_figures *figures);

/// Calls a callback for each collection in which values were set in this opening, in the order of their names.
SEDIMENT_API sediment_status sediment_each_compression(
    sediment_store *store, sediment_compression_fn callback, void *context);

/// What a segment of the file is for.
typedef enum sediment_segment_kind {
  /// Anything that this version of the header does not know.
  SEDIMENT_SEGMENT_OTHER = 0,
  /// Records of changes, in the order of the changes.
  SEDIMENT_SEGMENT_HOT = 1,
  /// Records that compaction moved.
  SEDIMENT_SEGMENT_SURVIVORS = 2,
  /// The bytes of one large value.
  SEDIMENT_SEGMENT_EXTENT = 3,
  /// A part of the stored index.
  SEDIMENT_SEGMENT_INDEX = 4,
  /// The last records, until they are written to their place in the log.
  SEDIMENT_SEGMENT_WINDOW = 5
} sediment_segment_kind;

/// A part of the file that has one use.
typedef struct sediment_segment {
  /// The size of this structure.
  size_t size;
  /// A `sediment_segment_kind`.
  int32_t kind;
  /// 1 if the log ends in it, else 0.
  int32_t is_tail;
  /// The number of this use; later uses have higher numbers.
  uint64_t generation;
  /// Its first byte in the file, and how many it takes.
  uint64_t offset, bytes;
  /// The bytes of its records, and of those that hold present values.
  uint64_t used_bytes, live_bytes;
  /// How many records it holds, and how many of them say that a key was removed.
  uint64_t records, tombstones;
} sediment_segment;

/// Is called with a segment, which is valid until it returns. It returns a `sediment_step`.
typedef int (*sediment_segment_fn)(void *context, const sediment_segment *segment);

/// Calls a callback for each segment of the file, in its order; for none in a store that is only read.
SEDIMENT_API sediment_status sediment_each_segment(
    sediment_store *store, sediment_segment_fn callback, void *context);

/// # Long calls

/// Wins back the space of all values that were replaced, removed or have expired. `progress` may be null.
///
/// A value that expired less than ten minutes ago keeps its space, because the clock may be wrong.
SEDIMENT_API sediment_status sediment_compact(
    sediment_store *store, sediment_progress_fn progress, void *context);

/// Does what `sediment_compact` does and overwrites what is dead: when it returns SEDIMENT_OK, the file has no byte of a
/// key or value that was replaced or removed before the call, or had expired by then. `progress` may be null.
///
/// Everything that lives is written anew, and the call waits for pinned values and backups. Called inside a callback that
/// reads a value in place, it is SEDIMENT_INVALID_ARGUMENT. If it fails or the process dies, the store is sound, and another
/// call finishes. It reaches this file alone: not copies of its blocks that the file system or the disk has made, not
/// earlier backups, not memory.
SEDIMENT_API sediment_status sediment_compact_erasing(
    sediment_store *store, sediment_progress_fn progress, void *context);

/// Copies the store, as it is at one moment of the call, to a new file, while others go on. `progress` may be null.
///
/// The copy is a store, and is on the disk when the call returns. There must be no file at the path. If it fails, no
/// file is left behind. The copy also has the bytes of values that were replaced, removed or have expired, as far as
/// compaction has not won their space back; `sediment_backup_live` copies none of these.
SEDIMENT_API sediment_status sediment_backup(
    sediment_store *store, const char *path, sediment_progress_fn progress, void *context);

/// Copies the live records of the store, as they are at one moment of the call, to a new file, while others go on.
/// `progress` may be null.
///
/// The copy is the store after one change: its keys, values, expiry and collections, and nothing of what was replaced or
/// removed before that, or has expired. It takes longer than `sediment_backup`, and about 100 bytes of memory for each key.
/// A damaged record ends it with SEDIMENT_DAMAGED. There must be no file at the path. If it fails, no file is left behind.
SEDIMENT_API sediment_status sediment_backup_live(
    sediment_store *store, const char *path, sediment_progress_fn progress, void *context);

/// Something that `sediment_verify` or `sediment_salvage` found in a file.
typedef struct sediment_finding {
  /// The size of this structure.
  size_t size;
  /// 1 if it is damage: something is lost, or may be; else 0.
  int32_t is_damage;
  /// 0.
  int32_t reserved;
  /// The bytes of the file, from the first on and up to the one before the last.
  uint64_t begin, end;
  /// The numbers of the changes that are missing, first and last; 0 if they are not known.
  uint64_t first_sequence, last_sequence;
  /// The kind: "corrupt", "unreadable", "inconsistent", "torn", "orphaned", "lost" or "invented".
  const char *kind;
  /// What was found, what it means, and what to do.
  const char *message;
} sediment_finding;

/// Is called with a finding, which is valid until it returns. It returns a `sediment_step`.
typedef int (*sediment_finding_fn)(void *context, const sediment_finding *finding);

/// What `sediment_verify` found, as a whole.
typedef struct sediment_verification {
  /// The size of this structure.
  size_t size;
  /// 1 if nothing is damaged, else 0.
  int32_t is_intact;
  /// 1 if the last process that wrote the file closed it, 0 if not, -1 if that is not known.
  int32_t was_closed;
  /// The bytes of the file.
  uint64_t file_bytes;
  /// The byte behind the last record that counts, and the number of the last change; 0 if not known.
  uint64_t log_end, sequence;
  /// How many findings there are, and how many of them are damage.
  uint64_t findings, damages;
  /// How many segments the file has.
  uint64_t segments;
} sediment_verification;

/// A `sediment_verification` for `sediment_verify` to fill.
#define SEDIMENT_VERIFICATION_INIT { sizeof(sediment_verification), 0, 0, 0, 0, 0, 0, 0, 0 }

/// Reads every byte of a store's file, which nobody may have open for writing, and writes nothing.
///
/// Damage is no failure: it is in the report, and `finding`, which may be null, is called for each finding in the order
/// of the file. `progress` may be null. Both callbacks get the context.
SEDIMENT_API sediment_status sediment_verify(
    const char *path, sediment_progress_fn progress, sediment_finding_fn finding, void *context,
    sediment_verification *report);

/// What `sediment_salvage` saved and what was lost.
typedef struct sediment_salvage_report {
  /// The size of this structure.
  size_t size;
  /// 1 if nothing was lost, else 0.
  int32_t is_complete;
  /// What was known of what the file should hold: 2 all, 1 up to some change, 0 nothing.
  int32_t knowledge;
  /// How many keys the new file has, without uncertain ones, and the bytes of these keys and their values.
  uint64_t keys, bytes;
  /// How many parts of the file could not be read.
  uint64_t losses;
  /// How many values were damaged; the key of one is missing or, where its record was damaged, may have an older value.
  uint64_t lost_values;
  /// How many batches lack changes.
  uint64_t broken_batches;
  /// How many keys were found only in parts that the store does not use, so that they may have been removed.
  uint64_t uncertain_keys;
  /// How many names of collections were lost and made up.
  uint64_t invented_names;
} sediment_salvage_report;

/// A `sediment_salvage_report` for `sediment_salvage` to fill.
#define SEDIMENT_SALVAGE_INIT { sizeof(sediment_salvage_report), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// Bits of the flags of `sediment_salvage`.
typedef enum sediment_salvage_flag {
  /// Uncertain keys are copied to a collection named "salvaged".
  SEDIMENT_KEEP_UNCERTAIN = 1
} sediment_salvage_flag;

/// Saves what is whole of a damaged file to a new one, of which there must be none. `progress`, `loss` and `report` may
/// be null.
///
/// When all was saved, `loss` is called for each part of the file that could not be read, of the kind "lost", and for
/// each name that was made up for a collection, of the kind "invented" with the name as its message.
SEDIMENT_API sediment_status sediment_salvage(
    const char *path, const char *new_path, uint32_t flags, sediment_progress_fn progress, sediment_finding_fn loss,
    void *context, sediment_salvage_report *report);

/// Removes the file of a store, which nobody may have open, and all that it holds. It may be damaged. Of a symbolic link,
/// the file to which it leads is removed.
SEDIMENT_API sediment_status sediment_destroy(const char *path);

#ifdef __cplusplus
}
#endif

#endif
