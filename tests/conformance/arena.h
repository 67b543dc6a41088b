/* What a job holds of shared memory. */
#ifndef ARENA_H
#define ARENA_H

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory of the job's arena, in KiB: the file that this rank has mapped; -1: it has none open. */
static inline long arena_kib(void) {
  for (int fd = 1023; fd >= 0; --fd) {
    char link[64], name[64];
    struct stat file;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t bytes = readlink(link, name, sizeof name - 1);
    if (bytes <= 0) continue;
    name[bytes] = 0;
    if (strstr(name, "baton-job") && fstat(fd, &file) == 0) return (long)file.st_blocks / 2;
  }
  return -1;
}

#endif
