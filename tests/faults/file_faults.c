/* Preloaded by file_test.py: makes transfers of files fail. The variable FILE_FAULTS has words
 * "CALL NUMBER WHAT", with commas between them: from the given call on (1 is the first) that CALL
 * (read, write or pages) of this process does WHAT: eio, enospc, edquot   fails with that error
 *   short                 moves a half of its first piece
 *   interrupted           is interrupted every second time
 *   truncate              (pages) shortens the file FILE_FAULTS_PATH to nothing before it returns
 *   kill                  the process dies by SIGKILL
 * Only descriptors of regular files are meant. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char what_happens[3][16]; /* read, write, pages */
static long from_call[3], calls[3];

__attribute__((constructor)) static void read_faults(void) {
  static const char* const names[3] = {"read", "write", "pages"};
  char text[200], *rest = text;
  const char* given = getenv("FILE_FAULTS");
  strncpy(text, given ? given : "", sizeof text - 1);
  text[sizeof text - 1] = 0;
  for (char* fault; (fault = strsep(&rest, ",")) && *fault;) {
    char* name = strsep(&fault, " ");
    char* number = strsep(&fault, " ");
    for (int i = 0; i < 3; ++i)
      if (!strcmp(name, names[i]) && number && fault) {
        from_call[i] = atol(number);
        strncpy(what_happens[i], fault, sizeof what_happens[i] - 1);
      }
  }
}

static int is_file(int descriptor) {
  struct stat about;
  return fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
}

/* What happens to this call; "" for nothing. */
static const char* fault(int call) {
  if (!from_call[call]) return "";
  const long number = __atomic_add_fetch(&calls[call], 1, __ATOMIC_RELAXED);
  return number >= from_call[call] ? what_happens[call] : "";
}

typedef ssize_t Transfer(int, const struct iovec*, int, off_t);

static ssize_t transfer(int call, Transfer* real, int descriptor, const struct iovec* pieces,
                        int count, off_t offset) {
  const char* what = is_file(descriptor) ? fault(call) : "";
  if (!strcmp(what, "kill")) raise(SIGKILL);
  if (!strcmp(what, "eio")) return errno = EIO, -1;
  if (!strcmp(what, "enospc")) return errno = ENOSPC, -1;
  if (!strcmp(what, "edquot")) return errno = EDQUOT, -1;
  if (!strcmp(what, "interrupted") && calls[call] % 2) return errno = EINTR, -1;
  if (!strcmp(what, "short") && count > 0 && pieces[0].iov_len > 1) {
    const struct iovec one = {pieces[0].iov_base, pieces[0].iov_len / 2};
    return real(descriptor, &one, 1, offset);
  }
  return real(descriptor, pieces, count, offset);
}

ssize_t preadv(int descriptor, const struct iovec* pieces, int count, off_t offset) {
  static Transfer* real;
  if (!real) real = (Transfer*)dlsym(RTLD_NEXT, "preadv");
  return transfer(0, real, descriptor, pieces, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec* pieces, int count, off_t offset) {
  static Transfer* real;
  if (!real) real = (Transfer*)dlsym(RTLD_NEXT, "pwritev");
  return transfer(1, real, descriptor, pieces, count, offset);
}

/* Where reads fail, no byte lies in the kernel's cache: this call asks for that alone. */
ssize_t preadv2(int descriptor, const struct iovec* pieces, int count, off_t offset, int flags) {
  static ssize_t (*real)(int, const struct iovec*, int, off_t, int);
  if (!real)
    real = (ssize_t(*)(int, const struct iovec*, int, off_t, int))dlsym(RTLD_NEXT, "preadv2");
  if (from_call[0] && is_file(descriptor)) return errno = EAGAIN, -1;
  return real(descriptor, pieces, count, offset, flags);
}

int madvise(void* address, size_t bytes, int advice) {
  static int (*real)(void*, size_t, int);
  if (!real) real = (int (*)(void*, size_t, int))dlsym(RTLD_NEXT, "madvise");
  const int populate_read = 22, populate_write = 23;
  const int result = real(address, bytes, advice);
  const char* path = getenv("FILE_FAULTS_PATH");
  if ((advice == populate_read || advice == populate_write) && path &&
      !strcmp(fault(2), "truncate"))
    if (truncate(path, 0) != 0) return -1;
  return result;
}
