// Preloaded into a daemon: a disk that forgets at a power cut, fills up, turns read-only, is slow
// or fails to sync, and a process that dies at a chosen disk operation.
//
// The daemon works in TORTURE_ROOT as ever. Beside it, in TORTURE_SHADOW, this library keeps what a
// disk would still have after a power cut, and nothing else:
//   files/<inode>   the bytes that a file had when it was last synced
//   names/<inode>   the entries that a directory had when it was last synced
//   lost/<inode>    ranges that a failed sync has dropped: see FAULT_SYNC_LOST
// So a created, renamed or removed name counts only once its directory was synced, and a write, a
// truncation or an allocation only once its file was. disk.py rebuilds the root from the shadow.
// The root must be on a tmpfs: its inode numbers are not used twice.
//
// A kill in the middle of a sync leaves part of it in the shadow, as a power cut may.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  FAULT_NONE,
  FAULT_FULL,        // ENOSPC for every byte and name that is added
  FAULT_READ_ONLY,   // EROFS for everything that changes the disk
  FAULT_SYNC,        // EIO from every sync; a later one makes up for it
  FAULT_SYNC_NAMES,  // the same for directories only
  FAULT_SYNC_LOST,   // EIO, and the kernel forgets that the pages were dirty: no later sync helps
  FAULT_LIES,        // syncs succeed and keep nothing: no program survives this, a control does
};

// Shared with disk.py, which knows this layout.
struct control {
  uint32_t operations;  // so far
  uint32_t fault;
  uint32_t from, count;  // the fault holds for operations from <= n < from + count
  uint32_t die_at;       // SIGKILL in place of this operation; 0: never
  uint32_t slow_us;      // each sync takes this long
};

enum operation { ADD_BYTES, CHANGE, ADD_NAME, REMOVE_NAME, SYNC_FILE, SYNC_NAMES };

static struct control* control;
static char shadow[512];
static dev_t device;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// What was written to a file since its last sync; before this process's first sync, everything.
struct dirty {
  ino_t inode;
  int whole;
  off_t low, high;
};
static struct dirty* files;
static size_t file_count, file_room;

#define REAL(name)                      \
  static __typeof__(&name) real_##name; \
  if (real_##name == NULL) real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const char *root = getenv("TORTURE_ROOT"), *path = getenv("TORTURE_SHADOW");
  const char* file = getenv("TORTURE_CONTROL");
  struct stat facts;
  if (root == NULL || path == NULL || file == NULL || stat(root, &facts) != 0) return;
  REAL(open);
  const int fd = real_open(file, O_RDWR | O_CLOEXEC);
  void* memory =
      fd < 0 ? MAP_FAILED
             : mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "powercut: cannot map %s\n", file);
    _exit(70);
  }
  close(fd);
  snprintf(shadow, sizeof(shadow), "%s", path);
  device = facts.st_dev;
  control = memory;
}

// Counts the operation. 0, or the error that it has to fail with.
static int gate(enum operation operation) {
  const uint32_t now = __atomic_add_fetch(&control->operations, 1, __ATOMIC_SEQ_CST);
  if (control->die_at != 0 && now >= control->die_at) {
    kill(getpid(), SIGKILL);
    pause();
  }
  const int sync = operation == SYNC_FILE || operation == SYNC_NAMES;
  if (sync && control->slow_us != 0) usleep(control->slow_us);
  if (now < control->from || now - control->from >= control->count) return 0;
  switch (control->fault) {
    case FAULT_FULL:
      return operation == ADD_BYTES || operation == ADD_NAME ? ENOSPC : 0;
    case FAULT_READ_ONLY:
      return EROFS;
    case FAULT_SYNC:
    case FAULT_SYNC_LOST:
      return sync ? EIO : 0;
    case FAULT_SYNC_NAMES:
      return operation == SYNC_NAMES ? EIO : 0;
    default:
      return 0;
  }
}

static int refused(enum operation operation) {
  const int error = gate(operation);
  if (error != 0) errno = error;
  return error != 0;
}

static int on_disk(int fd, struct stat* facts) {
  return control != NULL && fd > 2 && fstat(fd, facts) == 0 && facts->st_dev == device &&
         (S_ISREG(facts->st_mode) || S_ISDIR(facts->st_mode));
}

static int path_on_disk(const char* path) {  // of the directory that holds the name
  if (control == NULL) return 0;
  char parent[1024];
  const char* slash = strrchr(path, '/');
  if (slash == NULL) return 0;
  snprintf(parent, sizeof(parent), "%.*s", slash == path ? 1 : (int)(slash - path), path);
  struct stat facts;
  return stat(parent, &facts) == 0 && facts.st_dev == device;
}

static struct dirty* dirty_of(ino_t inode) {  // under the mutex
  for (size_t i = 0; i < file_count; ++i) {
    if (files[i].inode == inode) return &files[i];
  }
  if (file_count == file_room) {
    file_room = file_room == 0 ? 64 : 2 * file_room;
    files = realloc(files, file_room * sizeof(*files));
    if (files == NULL) abort();
  }
  files[file_count] = (struct dirty){.inode = inode, .whole = 1};
  return &files[file_count++];
}

static void note(ino_t inode, off_t low, off_t high) {
  pthread_mutex_lock(&mutex);
  struct dirty* dirty = dirty_of(inode);
  if (dirty->low == dirty->high) {
    dirty->low = low;
    dirty->high = high;
  } else {
    if (low < dirty->low) dirty->low = low;
    if (high > dirty->high) dirty->high = high;
  }
  pthread_mutex_unlock(&mutex);
}

static void fail(const char* what) {  // the shadow must never be behind without a word
  fprintf(stderr, "powercut: %s: %s\n", what, strerror(errno));
  _exit(71);
}

static void copy_range(int from, int to, off_t low, off_t high) {
  char buffer[65536];
  while (low < high) {
    const size_t left = (size_t)(high - low);
    const ssize_t got = pread(from, buffer, left < sizeof(buffer) ? left : sizeof(buffer), low);
    if (got < 0) fail("read");
    if (got == 0) return;
    REAL(pwrite);
    if (real_pwrite(to, buffer, (size_t)got, low) != got) fail("write");
    low += got;
  }
}

static void copy_all_but_lost(int from, int to, off_t size, ino_t inode) {
  char path[600];
  snprintf(path, sizeof(path), "%s/lost/%lu", shadow, (unsigned long)inode);
  off_t next = 0;
  FILE* lost = fopen(path, "r");
  long low, high;
  while (lost != NULL && fscanf(lost, "%ld %ld", &low, &high) == 2) {  // ascending by construction
    if (low > next) copy_range(from, to, next, low < size ? low : size);
    if (high > next) next = high;
  }
  if (lost != NULL) fclose(lost);
  copy_range(from, to, next, size);
}

static int open_again(int fd) {  // it may be open for writing only, and without a name
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  REAL(open);
  const int again = real_open(path, O_RDONLY | O_CLOEXEC);
  if (again < 0) fail("reopen");
  return again;
}

static int sync_file(int fd, const struct stat* facts) {
  const int error = gate(SYNC_FILE);
  if (control->fault == FAULT_LIES) return 0;
  pthread_mutex_lock(&mutex);  // nobody's sync ends before another's of the same file is in
  struct dirty* dirty = dirty_of(facts->st_ino);
  if (error != 0) {
    if (control->fault == FAULT_SYNC_LOST && dirty->high > dirty->low) {
      char path[600];
      snprintf(path, sizeof(path), "%s/lost/%lu", shadow, (unsigned long)facts->st_ino);
      FILE* lost = fopen(path, "a");
      if (lost == NULL) fail(path);
      fprintf(lost, "%ld %ld\n", (long)dirty->low, (long)dirty->high);
      fclose(lost);
      dirty->low = dirty->high = 0;
    }
    pthread_mutex_unlock(&mutex);
    errno = error;
    return -1;
  }
  char path[600];
  snprintf(path, sizeof(path), "%s/files/%lu", shadow, (unsigned long)facts->st_ino);
  REAL(open);
  REAL(ftruncate);
  const int to = real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, facts->st_mode & 0777);
  if (to < 0) fail(path);
  const int from = open_again(fd);
  struct stat now;
  if (fstat(fd, &now) != 0 || real_ftruncate(to, now.st_size) != 0) fail(path);
  if (dirty->whole) copy_all_but_lost(from, to, now.st_size, facts->st_ino);
  copy_range(from, to, dirty->low, dirty->high < now.st_size ? dirty->high : now.st_size);
  close(from);
  close(to);
  *dirty = (struct dirty){.inode = facts->st_ino};
  pthread_mutex_unlock(&mutex);
  return 0;
}

static int sync_names(int fd, const struct stat* facts) {
  if (refused(SYNC_NAMES)) return -1;
  if (control->fault == FAULT_LIES) return 0;
  pthread_mutex_lock(&mutex);
  char path[600], draft[620], directory[64];
  snprintf(path, sizeof(path), "%s/names/%lu", shadow, (unsigned long)facts->st_ino);
  snprintf(draft, sizeof(draft), "%s.tmp", path);
  snprintf(directory, sizeof(directory), "/proc/self/fd/%d", fd);
  FILE* out = fopen(draft, "w");
  DIR* names = opendir(directory);
  if (out == NULL || names == NULL) fail(path);
  const struct dirent* entry;
  while ((entry = readdir(names)) != NULL) {
    struct stat child;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (fstatat(dirfd(names), entry->d_name, &child, AT_SYMLINK_NOFOLLOW) != 0) continue;
    fprintf(out, "%c %lu %o %s\n", S_ISDIR(child.st_mode) ? 'd' : 'f', (unsigned long)child.st_ino,
            child.st_mode & 0777, entry->d_name);
  }
  closedir(names);
  REAL(rename);
  if (fclose(out) != 0 || real_rename(draft, path) != 0) fail(path);
  pthread_mutex_unlock(&mutex);
  return 0;
}

static int synced(int fd, int* result) {
  struct stat facts;
  if (!on_disk(fd, &facts)) return 0;
  *result = S_ISDIR(facts.st_mode) ? sync_names(fd, &facts) : sync_file(fd, &facts);
  return 1;
}

int fsync(int fd) {
  int result;
  if (synced(fd, &result)) return result;
  REAL(fsync);
  return real_fsync(fd);
}

int fdatasync(int fd) {
  int result;
  if (synced(fd, &result)) return result;
  REAL(fdatasync);
  return real_fdatasync(fd);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  struct stat facts;
  const int disk = on_disk(fd, &facts);
  if (disk && refused(ADD_BYTES)) return -1;
  REAL(pwrite);
  const ssize_t written = real_pwrite(fd, bytes, size, offset);
  if (disk && written > 0) note(facts.st_ino, offset, offset + written);
  return written;
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return pwrite(fd, bytes, size, offset);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  struct stat facts;
  const int disk = on_disk(fd, &facts);
  if (disk && refused(ADD_BYTES)) return -1;
  REAL(write);
  const ssize_t written = real_write(fd, bytes, size);
  if (disk && written > 0) {
    const off_t end = lseek(fd, 0, SEEK_CUR);
    note(facts.st_ino, end - written, end);
  }
  return written;
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  struct stat facts;
  const int disk = on_disk(fd, &facts);
  if (disk && refused(ADD_BYTES)) return -1;
  REAL(writev);
  const ssize_t written = real_writev(fd, parts, count);
  if (disk && written > 0) {
    const off_t end = lseek(fd, 0, SEEK_CUR);
    note(facts.st_ino, end - written, end);
  }
  return written;
}

int ftruncate(int fd, off_t size) {
  struct stat facts;
  const int disk = on_disk(fd, &facts);
  if (disk && refused(CHANGE)) return -1;
  REAL(ftruncate);
  const int result = real_ftruncate(fd, size);
  // What is cut off and written again must not keep its former bytes.
  if (disk && result == 0 && size < facts.st_size) note(facts.st_ino, size, facts.st_size);
  return result;
}

int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

int fallocate(int fd, int mode, off_t offset, off_t size) {
  struct stat facts;
  const int disk = on_disk(fd, &facts);
  if (disk && refused(ADD_BYTES)) return -1;
  REAL(fallocate);
  const int result = real_fallocate(fd, mode, offset, size);
  if (disk && result == 0 && mode != 0) note(facts.st_ino, offset, offset + size);
  return result;
}

int fallocate64(int fd, int mode, off64_t offset, off64_t size) {
  return fallocate(fd, mode, offset, size);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
  const int saved = errno;
  const int result = fallocate(fd, 0, offset, size) == 0 ? 0 : errno;
  errno = saved;
  return result;
}

int posix_fallocate64(int fd, off64_t offset, off64_t size) {
  return posix_fallocate(fd, offset, size);
}

static int open_on_disk(const char* path, int flags, mode_t mode) {
  REAL(open);
  if ((flags & (O_CREAT | O_TRUNC)) == 0 && (flags & O_ACCMODE) == O_RDONLY) {
    return real_open(path, flags, mode);
  }
  if (!path_on_disk(path)) return real_open(path, flags, mode);
  struct stat before;
  const int there = lstat(path, &before) == 0;
  if ((flags & O_CREAT) != 0 && !there) {
    if (refused(ADD_NAME)) return -1;
  } else if (refused(CHANGE)) {
    return -1;
  }
  const int fd = real_open(path, flags, mode);
  if (fd >= 0 && there && (flags & O_TRUNC) != 0) note(before.st_ino, 0, before.st_size);
  return fd;
}

#define MODE(flags)                                                 \
  mode_t mode = 0;                                                  \
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list arguments;                                              \
    va_start(arguments, flags);                                     \
    mode = va_arg(arguments, mode_t);                               \
    va_end(arguments);                                              \
  }

int open(const char* path, int flags, ...) {
  MODE(flags)
  return open_on_disk(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  MODE(flags)
  return open_on_disk(path, flags, mode);
}

int mkostemp(char* path, int flags) {
  if (path_on_disk(path) && refused(ADD_NAME)) return -1;
  REAL(mkostemp);
  return real_mkostemp(path, flags);
}

int mkostemp64(char* path, int flags) { return mkostemp(path, flags); }

int unlink(const char* path) {
  if (path_on_disk(path) && refused(REMOVE_NAME)) return -1;
  REAL(unlink);
  return real_unlink(path);
}

int rmdir(const char* path) {
  if (path_on_disk(path) && refused(REMOVE_NAME)) return -1;
  REAL(rmdir);
  return real_rmdir(path);
}

int mkdir(const char* path, mode_t mode) {
  struct stat facts;
  if (path_on_disk(path) && lstat(path, &facts) != 0 && refused(ADD_NAME)) return -1;
  REAL(mkdir);
  return real_mkdir(path, mode);
}

int link(const char* from, const char* to) {
  if (path_on_disk(to) && refused(ADD_NAME)) return -1;
  REAL(link);
  return real_link(from, to);
}

int rename(const char* from, const char* to) {
  if (path_on_disk(to) && refused(CHANGE)) return -1;
  REAL(rename);
  return real_rename(from, to);
}
