#include "platform/cross_memory.hpp"

#include <sys/prctl.h>

#include <cerrno>

namespace baton::platform {

namespace {

bool is_all(ssize_t got, std::size_t bytes) {
  if (got >= 0 && got != static_cast<ssize_t>(bytes)) errno = EFAULT;  // the rest is not mapped
  return got == static_cast<ssize_t>(bytes);
}

}  // namespace

std::int64_t read_process_memory(int pid, const void* remote, void* local, std::size_t bytes) {
  iovec here{local, bytes};
  iovec there{const_cast<void*>(remote), bytes};
  return process_vm_readv(pid, &here, 1, &there, 1, 0);
}

std::int64_t write_process_memory(int pid, const void* local, void* remote, std::size_t bytes) {
  iovec here{const_cast<void*>(local), bytes};
  iovec there{remote, bytes};
  return process_vm_writev(pid, &here, 1, &there, 1, 0);
}

bool ProcessRuns::read(int pid, void* local) const {
  iovec here{local, bytes_};
  return is_all(process_vm_readv(pid, &here, 1, runs_, count_, 0), bytes_);
}

bool ProcessRuns::write(int pid, const void* local) const {
  iovec here{const_cast<void*>(local), bytes_};
  return is_all(process_vm_writev(pid, &here, 1, runs_, count_, 0), bytes_);
}

void permit_attach(int pid) {
  ::prctl(PR_SET_PTRACER, pid);
}

}  // namespace baton::platform
