/* Starts a program for which the kernel refuses some system calls, as containers' filters do.
 * usage: refusing [rank=R] NAME[,NAME ...] PROGRAM [ARGUMENTS]   (rank=R: only in the rank of that
 * number) */
#define _GNU_SOURCE
#include "refuse.h"

#include <unistd.h>

int main(int count, char** words) {
  int at = 1, mine = 1;
  if (at < count && strncmp(words[at], "rank=", 5) == 0) {
    const char* rank = getenv("BATON_RANK");
    mine = rank && strcmp(rank, words[at++] + 5) == 0;
  }
  if (at + 1 >= count) {
    fprintf(stderr, "usage: refusing [rank=R] NAME[,NAME ...] PROGRAM [ARGUMENTS]\n");
    return 2;
  }
  for (char* name = strtok(words[at], ","); mine && name; name = strtok(NULL, ","))
    if (refuse(name, EPERM) != 0) {
      fprintf(stderr, "refusing: %s cannot be refused: %s\n", name, strerror(errno));
      return 3;
    }
  execvp(words[at + 1], words + at + 1);
  fprintf(stderr, "refusing: %s: %s\n", words[at + 1], strerror(errno));
  return 127;
}
