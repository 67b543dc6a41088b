// A memory file is shared memory without a name: nothing is left behind when its last holder dies.
// There are functions for private memory by the page, too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Makes a sparse memory file of `bytes`, inherited by exec. It is sealed against shrinking and
// growing where the kernel grants memfds; else it is a file of /dev/shm without a name.
// Returns the descriptor, or -1 with errno set.
int make_memory_file(const char* name, std::uint64_t bytes);

// This identifies the file to which a descriptor leads; both are 0 with errno set where it is
// closed.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity file_identity(int descriptor);
// Gives the file a high descriptor, not inherited by exec, so that a program that expects low ones,
// or closes those it does not know, collides with it less. Where none is free it returns the
// descriptor itself.
int move_to_high_number(int descriptor);
// Opens a file anew that another process has open as `descriptor`. -1 with errno set.
int open_from_process(int process, int descriptor);

// Returns the file's size in bytes, or 0 with errno set.
std::uint64_t memory_file_bytes(int descriptor);

// Maps `bytes` of the file from an offset (whole pages), shared and writable. Returns null with
// errno set when that fails.
void* map_memory_file(int descriptor, std::uint64_t bytes, std::uint64_t offset = 0);
// Does so at an address and an offset of whole huge pages, so that the file can have huge pages.
void* map_memory_file_for_huge_pages(int descriptor, std::uint64_t bytes, std::uint64_t offset);
void unmap_memory(void* address, std::uint64_t bytes);
// Says whether a range of mapped pages goes into core dumps. A range goes into them by default.
void set_dumped(void* address, std::uint64_t bytes, bool dumped);

// Makes sure that the range has memory, so that touching it later cannot kill the process. False
// with errno set when there is none.
bool reserve_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// Reserves memory for a mapped range, given by its address, where the kernel can (Linux 5.14).
bool reserve_mapped_memory(void* address, std::uint64_t bytes);
// Reserves memory in huge pages, for a range of whole huge pages mapped at `address`. `*huge` says
// whether that worked; if not, errno says why, and the memory is there in small pages.
bool reserve_huge_memory(int descriptor, std::uint64_t offset, void* address, std::uint64_t bytes,
                         bool* huge);
// Returns whether reserve_huge_memory works here, by trying it.
bool grants_huge_memory();
// Returns 0, or the errno with which the kernel refuses to collapse small pages of private memory
// into a huge one. EINVAL: the kernel does not know how.
int collapse_error();
// These two map private memory of whole pages, and make sure of its memory. They return null or
// false with errno set.
void* make_private_memory(std::uint64_t bytes, std::uint64_t alignment);
bool reserve_private_memory(void* address, std::uint64_t bytes);
// Asks for huge pages in private memory. False with errno set when there are none.
bool ask_for_huge_pages(void* address, std::uint64_t bytes);
// Gives the memory of a range (whole pages) back; it reads as zeros from then on.
void release_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// Clears a range as release_memory does, for callers that must know. False with errno set when the
// kernel refuses.
bool clear_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// Locks the file for one process at a time of those that share it, until it gives up its turn or
// dies. It does not exclude threads of one process. False with errno set when the kernel has no
// lock for it.
bool take_turn(int descriptor);
void give_up_turn(int descriptor);
// Copies the first bytes of the file. False with errno set when there are fewer.
bool read_memory_file(int descriptor, void* target, std::size_t bytes);

}  // namespace baton::platform
