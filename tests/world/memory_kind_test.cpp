#include "world/memory_kind.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using baton::world::are_host_kinds;
using baton::world::keep_asserted_kinds;
using baton::world::memory_kinds_with;

TEST(memory_kinds, are_those_of_ordinary_memory_whatever_is_asked_for) {
  EXPECT_STREQ(memory_kinds_with(""), "mpi,system");
  EXPECT_STREQ(memory_kinds_with("system"), "mpi,system");
  EXPECT_STREQ(memory_kinds_with("cuda:device,System,rocm"), "mpi,system");
}

TEST(memory_kinds, name_the_parts_that_were_asked_for_once) {
  EXPECT_STREQ(memory_kinds_with("mpi:alloc_mem,cuda,mpi:alloc_mem"), "mpi,system,mpi:alloc_mem");
  EXPECT_STREQ(memory_kinds_with("mpi:win_allocate:alloc_mem"),
               "mpi,system,mpi:win_allocate:alloc_mem");
  EXPECT_STREQ(memory_kinds_with("mpi:alloc_mem:alloc_mem,mpi:device,mpi:,system:alloc_mem"),
               "mpi,system");
}

TEST(memory_kinds, that_fill_a_value_are_cut_between_two) {
  std::string many;
  const char* parts[] = {"alloc_mem", "win_allocate", "win_allocate_shared"};
  for (const char* a : parts)
    for (const char* b : parts)
      for (const char* c : parts)
        for (const char* name : {"mpi", "MPI"})
          many += std::string(name) + ":" + a + ":" + b + ":" + c + ",";
  while (many.size() < 5000) many += many;
  std::string said = memory_kinds_with(many.c_str());
  EXPECT_LT(said.size(), 1024u);
  EXPECT_EQ(said.rfind("mpi,system,", 0), 0u);
}

TEST(memory_kinds, a_promise_is_kept_as_it_was_written) {
  const char* kept = keep_asserted_kinds("System,mpi:win_allocate_shared");
  ASSERT_NE(kept, nullptr);
  EXPECT_STREQ(kept, "System,mpi:win_allocate_shared");
  EXPECT_EQ(keep_asserted_kinds("System,mpi:win_allocate_shared"), kept);
  EXPECT_STREQ(keep_asserted_kinds(""), "");
}

TEST(memory_kinds, a_promise_of_what_is_not_supported_is_none) {
  for (const char* list :
       {"cuda", "system,cuda:host", "mpi:device", "system:alloc_mem", "mpi,,system", "mpi,", ",",
        "system,mpi,SYSTEM", "mpi:", "mpi:alloc_mem:alloc_mem"})
    EXPECT_EQ(keep_asserted_kinds(list), nullptr) << list;
}

TEST(memory_kinds, of_some_lists_all_memory_is_the_hosts) {
  for (const char* list : {"", "system", "system,mpi", "mpi:alloc_mem,CUDA:host", "cuda:host"})
    EXPECT_TRUE(are_host_kinds(list)) << list;
  for (const char* list :
       {"cuda", "system,cuda:device", "cuda:managed", "cuda:host:device", "Cuda:Host,cuda:device"})
    EXPECT_FALSE(are_host_kinds(list)) << list;
}

}  // namespace
