// What the branches for Apple systems use, held against Apple's headers: numbers that the kernel knows, fields, and types
// of functions. Compiling this file is the test.
#include <dispatch/dispatch.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/clonefile.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/stdio.h>
#include <termios.h>
#include <unistd.h>

#define IS(constant, value) _Static_assert((constant) == (value), #constant)
#define HAS_TYPE(expression, type) _Static_assert(_Generic((expression), type: 1, default: 0), #expression)

// System.c: syncs, space, clones, renames, locks, and whether a file system is local.
IS(F_FULLFSYNC, 51);
IS(F_PREALLOCATE, 42);
IS(F_ALLOCATEALL, 4);
IS(F_PEOFPOSMODE, 3);
IS(F_PUNCHHOLE, 99);
#ifdef F_OFD_SETLK
IS(F_OFD_SETLK, 90);
#endif
IS(RENAME_EXCL, 4);
IS(MNT_LOCAL, 0x1000);
HAS_TYPE(((fstore_t *)0)->fst_length, off_t);
HAS_TYPE(((fpunchhole_t *)0)->fp_offset, off_t);
HAS_TYPE(((struct flock *)0)->l_start, off_t);
HAS_TYPE(((struct flock *)0)->l_pid, pid_t);
_Static_assert(sizeof(((struct statfs *)0)->f_fstypename) >= 16, "names of file systems");
HAS_TYPE(&fclonefileat, int (*)(int, int, const char *, uint32_t));
HAS_TYPE(&renamex_np, int (*)(const char *, const char *, unsigned int));

// SedimentDisk: what is told of files, holes, mappings and limits.
HAS_TYPE(((struct stat *)0)->st_mtimespec, struct timespec);
HAS_TYPE(((struct stat *)0)->st_blocks, blkcnt_t);
HAS_TYPE(((struct stat *)0)->st_ino, ino_t);
_Static_assert(sizeof(ino_t) == 8, "numbers of files");
IS(SEEK_HOLE, 3);
IS(SEEK_DATA, 4);
IS(MAP_ANON, 0x1000);
IS(MAP_FIXED, 0x10);
IS(MAP_SHARED, 1);
HAS_TYPE(((struct rlimit *)0)->rlim_cur, rlim_t);
_Static_assert(sizeof(rlim_t) == 8, "limits");

// The command: signals and terminals.
HAS_TYPE(((struct sigaction *)0)->__sigaction_u.__sa_handler, void (*)(int));
HAS_TYPE(((struct termios *)0)->c_lflag, tcflag_t);
IS(TCSADRAIN, 1);

// MemoryPressure: what the library for Swift on top of it calls normal, warning and critical.
IS(DISPATCH_MEMORYPRESSURE_NORMAL, 1);
IS(DISPATCH_MEMORYPRESSURE_WARN, 2);
IS(DISPATCH_MEMORYPRESSURE_CRITICAL, 4);
HAS_TYPE(DISPATCH_SOURCE_TYPE_MEMORYPRESSURE, dispatch_source_type_t);
