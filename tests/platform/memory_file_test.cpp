#include "platform/memory_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cache_line.hpp"

using namespace baton;
using namespace baton::platform;

namespace {

// Who could not take the file's turn now, as the kernel says: F_WRLCK or F_UNLCK.
short turn_of_others(int descriptor) {
  struct flock whole {};
  whole.l_type = F_RDLCK;  // which only somebody's turn is against
  EXPECT_EQ(::fcntl(descriptor, F_GETLK, &whole), 0);
  return whole.l_type;
}

}  // namespace

TEST(memory_file, for_huge_pages_it_is_mapped_at_a_whole_one) {
  constexpr std::uint64_t bytes = 2 * huge_page_bytes;
  int descriptor = make_memory_file("test", bytes);
  ASSERT_GE(descriptor, 0);
  // Small mappings between them, so that a huge page's address is no luck.
  for (int i = 0; i < 4; ++i) {
    make_private_memory(page_bytes, page_bytes);
    auto* address =
        static_cast<char*>(map_memory_file_for_huge_pages(descriptor, bytes, huge_page_bytes));
    // No more than the file has is touched.
    ASSERT_TRUE(address);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(address) % huge_page_bytes, 0u);
    address[0] = static_cast<char>(i);
    char read = 0;
    EXPECT_EQ(::pread(descriptor, &read, 1, huge_page_bytes), 1);
    EXPECT_EQ(read, i);
    unmap_memory(address, bytes);
  }
  ::close(descriptor);
}

TEST(private_memory, begins_where_it_was_asked_to_and_can_be_made_sure_of) {
  for (std::uint64_t alignment : {std::uint64_t{page_bytes}, std::uint64_t{huge_page_bytes}}) {
    auto* address = static_cast<char*>(make_private_memory(4 * page_bytes, alignment));
    ASSERT_TRUE(address);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(address) % alignment, 0u);
    EXPECT_TRUE(reserve_private_memory(address, 4 * page_bytes));
    EXPECT_EQ(address[4 * page_bytes - 1], 0);
    unmap_memory(address, 4 * page_bytes);
  }
}

TEST(turn, one_process_has_it_until_it_gives_it_up_or_dies) {
  int descriptor = make_memory_file("test", page_bytes);
  int told[2], go_on[2];
  ASSERT_EQ(::pipe(told) | ::pipe(go_on), 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    char step = 0;
    if (!take_turn(descriptor) || ::write(told[1], &step, 1) != 1) ::_exit(1);
    if (::read(go_on[0], &step, 1) != 1) ::_exit(1);
    give_up_turn(descriptor);
    if (::write(told[1], &step, 1) != 1 || ::read(go_on[0], &step, 1) != 1) ::_exit(1);
    if (!take_turn(descriptor) || ::write(told[1], &step, 1) != 1) ::_exit(1);
    ::_exit(::read(go_on[0], &step, 1) == 1 ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  char step = 0;
  for (short expected : {F_WRLCK, F_UNLCK, F_WRLCK}) {
    ASSERT_EQ(::read(told[0], &step, 1), 1);
    EXPECT_EQ(turn_of_others(descriptor), expected);
    ASSERT_EQ(::write(go_on[1], &step, 1), 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(turn_of_others(descriptor), F_UNLCK);
  for (int end : {descriptor, told[0], told[1], go_on[0], go_on[1]}) ::close(end);
}
