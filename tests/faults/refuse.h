/* Refuses a system call to this process from now on, by a seccomp filter. */
#ifndef REFUSE_H
#define REFUSE_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static inline int refuse(const char* name, int error) {
  static const struct {
    const char* name;
    unsigned number;
  } calls[] = {{"process_vm_readv", SYS_process_vm_readv},
               {"process_vm_writev", SYS_process_vm_writev},
               {"membarrier", SYS_membarrier},
               {"fallocate", SYS_fallocate},
               {"madvise", SYS_madvise},
               {"memfd_create", SYS_memfd_create},
               {"sched_getaffinity", SYS_sched_getaffinity},
               {"sched_setaffinity", SYS_sched_setaffinity},
               {"socket", SYS_socket},
               {"futex", SYS_futex}};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    if (strcmp(calls[i].name, name) != 0) continue;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  }
  errno = EINVAL;
  return -1;
}

#endif
