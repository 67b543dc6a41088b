// Memory files: shared memory without a name. Nothing is left behind when the last holder dies. And
// private memory by the page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Makes a sparse memory file of `bytes`, inherited by exec; sealed against shrinking and growing
// where the kernel lets us have memfds, else a file of /dev/shm without a name.
// Returns the descriptor, or -1 with errno set.
int make_memory_file(const char* name, std::uint64_t bytes);

// Which file a descriptor leads to; both 0 with errno set where it is closed.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity file_identity(int descriptor);
// Gives the file a high number, not inherited by exec, so that a program that expects low ones, or
// closes those it does not know, meets it less. The same descriptor where none is free.
int move_to_high_number(int descriptor);
// Opens anew what another process has open. -1 with errno set.
int open_from_process(int process, int descriptor);

// The file's size in bytes, or 0 with errno set.
std::uint64_t memory_file_bytes(int descriptor);

// Maps `bytes` of the file from an offset (whole pages), shared and writable. Null with errno set
// when that fails.
void* map_memory_file(int descriptor, std::uint64_t bytes, std::uint64_t offset = 0);
// The same at an address and from an offset of whole huge pages, so that the file can have them.
void* map_memory_file_for_huge_pages(int descriptor, std::uint64_t bytes, std::uint64_t offset);
void unmap_memory(void* address, std::uint64_t bytes);
// Whether a range of mapped pages goes into core dumps. All does that nobody has asked about.
void set_dumped(void* address, std::uint64_t bytes, bool dumped);

// Makes sure that the range has memory, so that touching it later cannot kill the process. False
// with errno set when there is none.
bool reserve_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// The same for a range that is mapped, by its address: where the kernel can (Linux 5.14).
bool reserve_mapped_memory(void* address, std::uint64_t bytes);
// The same in huge pages, for a range of whole ones that is mapped so at `address`. `*huge` says
// whether that worked; if not, errno says why, and the memory is there in small pages.
bool reserve_huge_memory(int descriptor, std::uint64_t offset, void* address, std::uint64_t bytes,
                         bool* huge);
// Whether that works here: tried.
bool grants_huge_memory();
// 0, or the errno with which the kernel refuses to put small pages of private memory together to a
// huge one. EINVAL: it does not know how.
int collapse_error();
// Private memory of whole pages: to have, and to make sure of. Null or false with errno set.
void* make_private_memory(std::uint64_t bytes, std::uint64_t alignment);
bool reserve_private_memory(void* address, std::uint64_t bytes);
// Asks for huge pages in memory that is private. False with errno set when there are none.
bool ask_for_huge_pages(void* address, std::uint64_t bytes);
// Gives the memory of a range (whole pages) back; it reads as zeros from then on.
void release_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// The same where it matters. False with errno set when the kernel refuses.
bool clear_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// One process at a time of those that share the file, until it gives up its turn or dies. Not for
// threads of one process. False with errno set when the kernel has no lock for it.
bool take_turn(int descriptor);
void give_up_turn(int descriptor);
// Copies the first bytes of the file. False with errno set when there are fewer.
bool read_memory_file(int descriptor, void* target, std::size_t bytes);

}  // namespace baton::platform
