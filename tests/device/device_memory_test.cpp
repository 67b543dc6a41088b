// What Baton knows of addresses while a driver comes, and allocations go and others take their
// place; and copies in the contexts of the program. The tests run in this order: the first one ends
// with the driver loaded.
#include "platform/device/device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "tests/device/loaded_driver.hpp"

namespace baton::platform {

namespace {

constexpr std::size_t block_bytes = 1 << 20;

LoadedDriver* driver = nullptr;
void* context = nullptr;

const char* kind_at(const void* address) {
  const BatonMemoryKind* kind = device_memory.kind_of(address);
  return kind ? kind->name : "host";
}
long questions() {
  return driver->counts().questions;
}

TEST(DeviceMemory, IsThereFromWhenTheProgramHasLoadedTheDriver) {
  settings.device = 1;
  device_memory.begin();
  ASSERT_TRUE(device_memory.may_be_used());
  void* memory = ::mmap(nullptr, block_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_STREQ(kind_at(memory), "host");
  EXPECT_EQ(device_memory.driver(), nullptr);
  driver = new LoadedDriver;
  EXPECT_STREQ(kind_at(memory), "host");
  EXPECT_NE(device_memory.driver(), nullptr);
  ASSERT_EQ(driver->create_context(&context, 0, 0), 0);
  void* on_device = driver->allocate_bytes(block_bytes);
  EXPECT_STREQ(kind_at(on_device), "cuda:device");
  EXPECT_STREQ(kind_at(static_cast<char*>(on_device) + block_bytes - 1), "cuda:device");
  EXPECT_STREQ(kind_at(static_cast<char*>(on_device) + block_bytes), "host");
  EXPECT_EQ(driver->free_bytes(on_device), 0);
  ::munmap(memory, block_bytes);
}

TEST(DeviceMemory, KindsAreThoseOfTheStandard) {
  void* managed = driver->allocate_kind(standin_managed, block_bytes, nullptr);
  void* pinned = driver->allocate_kind(standin_pinned, block_bytes, nullptr);
  void* of_pool = driver->allocate_kind(standin_pool, block_bytes, nullptr);
  EXPECT_STREQ(kind_at(managed), "cuda:managed");
  EXPECT_STREQ(kind_at(pinned), "host");
  EXPECT_STREQ(kind_at(of_pool), "cuda:device");
  EXPECT_STREQ(kind_at(nullptr), "host");
  DeviceRange range;
  ASSERT_TRUE(device_memory.find(of_pool, range));
  EXPECT_FALSE(range.may_export);
  EXPECT_EQ(range.context, context);  // the thread's own: a pool's memory has none
  for (void* memory : {managed, pinned, of_pool}) EXPECT_EQ(driver->free_bytes(memory), 0);
}

TEST(DeviceMemory, HostMemoryThatStaysIsNotAskedFor) {
  static int in_program;
  int on_stack = 0;
  auto on_heap = std::make_unique<int>(0);
  const long before = questions();
  EXPECT_STREQ(kind_at(&in_program), "host");
  EXPECT_STREQ(kind_at(&on_stack), "host");
  // Not every malloc takes its memory from below the program break: sanitizers' do not.
  if (static_cast<void*>(on_heap.get()) < ::sbrk(0)) {
    EXPECT_STREQ(kind_at(on_heap.get()), "host");
  }
  EXPECT_EQ(questions(), before);
  std::thread([&] {
    int on_own_stack = 0;
    EXPECT_STREQ(kind_at(&on_own_stack), "host");
    EXPECT_STREQ(kind_at(&on_stack), "host");  // the first thread's
  }).join();
  EXPECT_EQ(questions(), before);
}

TEST(DeviceMemory, NotedMemoryIsNotAskedFor) {
  void* memory =
      ::mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_STREQ(kind_at(memory), "host");  // what was kept of this place before is forgotten
  const long before = questions();
  EXPECT_STREQ(kind_at(memory), "host");
  EXPECT_EQ(questions(), before + 1);
  device_memory.host_ranges.note(memory, block_bytes);
  EXPECT_STREQ(kind_at(memory), "host");
  EXPECT_EQ(questions(), before + 1);
  device_memory.host_ranges.forget_noted();
  ::munmap(memory, block_bytes);
}

TEST(DeviceMemory, OneQuestionFindsAnAllocationAgain) {
  void* memory = driver->allocate_bytes(block_bytes);
  EXPECT_STREQ(kind_at(memory), "cuda:device");
  const long before = questions();
  EXPECT_STREQ(kind_at(memory), "cuda:device");
  EXPECT_EQ(questions(), before + 1);
  EXPECT_EQ(driver->free_bytes(memory), 0);
}

TEST(DeviceMemory, AnotherAllocationAtTheSameAddressIsAnotherOne) {
  void* first = driver->allocate_bytes(block_bytes);
  DeviceRange before, after;
  ASSERT_TRUE(device_memory.find(first, before));
  driver->free_bytes(first);
  EXPECT_STREQ(kind_at(first), "host");
  void* second = driver->allocate_kind(standin_pool, block_bytes, nullptr);
  ASSERT_EQ(second, first);
  ASSERT_TRUE(device_memory.find(second, after));
  EXPECT_NE(after.id, before.id);
  EXPECT_TRUE(before.may_export);
  EXPECT_FALSE(after.may_export);
  driver->free_bytes(second);
}

TEST(DeviceMemory, ADeviceMayTakeThePlaceOfHostMemoryAndLeaveItAgain) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void* memory = ::mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  EXPECT_STREQ(kind_at(memory), "host");
  ::munmap(memory, block_bytes);
  ASSERT_EQ(driver->allocate_kind(standin_virtual, block_bytes, memory), memory);
  EXPECT_STREQ(kind_at(memory), "cuda:device");
  EXPECT_EQ(driver->free_bytes(memory), 0);
  ASSERT_EQ(::mmap(memory, block_bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0), memory);
  EXPECT_STREQ(kind_at(memory), "host");
  ::munmap(memory, block_bytes);
}

TEST(DeviceMemory, MoreAllocationsThanAreKept) {
  constexpr int many = 200;
  void* memory[many];
  for (void*& one : memory) one = driver->allocate_bytes(100);
  for (int round = 0; round < 2; ++round)
    for (void* one : memory) EXPECT_STREQ(kind_at(one), "cuda:device");
  for (void* one : memory) driver->free_bytes(one);
}

TEST(DeviceMemory, CopiesLeaveTheProgramsContextAlone) {
  void *other, *now;
  void* memory = driver->allocate_bytes(block_bytes);
  ASSERT_EQ(driver->create_context(&other, 0, 1), 0);
  char words[] = "in the context that owns the memory", back[sizeof words] = {};
  EXPECT_EQ(copy_device_memory(memory, words, sizeof words), nullptr);
  EXPECT_STREQ(driver->seen(memory), words);
  driver->get_current(&now);
  EXPECT_EQ(now, other);
  std::thread([&] {  // without a context of its own
    EXPECT_EQ(copy_device_memory(back, memory, sizeof words), nullptr);
    void* current = nullptr;
    driver->get_current(&current);
    EXPECT_EQ(current, nullptr);
  })
      .join();
  EXPECT_STREQ(back, words);
  driver->destroy_context(other);
  driver->set_current(context);
  driver->free_bytes(memory);
}

TEST(DeviceMemory, StreamsOfAContextThatHasEndedAreNotUsedAgain) {
  const long streams = driver->counts().streams;
  for (int round = 0; round < 3; ++round) {
    void* made;
    ASSERT_EQ(driver->create_context(&made, 0, 0), 0);
    void* memory = driver->allocate_bytes(64);
    int value = round, back = -1;
    EXPECT_EQ(copy_device_memory(memory, &value, sizeof value), nullptr);
    EXPECT_EQ(copy_device_memory(&back, memory, sizeof back), nullptr);
    EXPECT_EQ(back, round);
    driver->destroy_context(made);
    driver->set_current(context);
  }
  EXPECT_LE(driver->counts().streams - streams, 3);
}

TEST(DeviceMemory, AMarkIsReachedWhenTheCopiesBeforeItAreOver) {
  void* memory = driver->allocate_bytes(block_bytes);
  std::string text(block_bytes, 'x');
  Accelerator& accelerator = *device_memory.driver();
  const PlaneCopy whole{static_cast<char*>(memory), text.data(), block_bytes, 0, 0, 1};
  void* mark = nullptr;
  ASSERT_EQ(accelerator.begin_copy(context, DeviceLane::messages, whole), nullptr);
  ASSERT_EQ(accelerator.mark(context, &mark), nullptr);
  const char* why = nullptr;
  CopyState state;
  while ((state = accelerator.look(context, mark, &why)) == CopyState::under_way) {
  }
  EXPECT_EQ(state, CopyState::done);
  EXPECT_EQ(std::memcmp(driver->seen(memory), text.data(), block_bytes), 0);
  driver->free_bytes(memory);
}

TEST(DeviceMemory, ThreadsAskAndCopyAtTheSameTime) {
  threads_multiple = true;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([number] {
      driver->set_current(context);
      const int* in_thread = &number;
      for (int round = 0; round < 100; ++round) {
        void* memory = driver->allocate_bytes(1000);
        int value = 1000 * number + round, back = -1;
        EXPECT_STREQ(kind_at(memory), "cuda:device");
        EXPECT_STREQ(kind_at(in_thread), "host");
        EXPECT_EQ(copy_device_memory(memory, &value, sizeof value), nullptr);
        EXPECT_EQ(copy_device_memory(&back, memory, sizeof back), nullptr);
        EXPECT_EQ(back, value);
        EXPECT_EQ(driver->free_bytes(memory), 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  threads_multiple = false;
}

TEST(DeviceMemory, WhatWasMadeIsGivenBack) {
  device_memory.end();
  EXPECT_EQ(driver->counts().events, 0);
  EXPECT_EQ(driver->counts().blocks, 0);
}

}  // namespace

}  // namespace baton::platform
