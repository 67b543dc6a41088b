// Copies in a row that a kernel makes, by the code that the driver would get: that each byte is
// where it belongs and no other has changed, and what goes by the driver's copies as before. The
// driver is loaded by now (device_memory_test.cpp).
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "platform/device/device_batch.hpp"
#include "platform/device/device_memory.hpp"
#include "platform/device/kernel_spaces.hpp"
#include "tests/device/loaded_driver.hpp"

namespace baton::platform {

namespace {

// One run: where it lies on either side, and how long it is.
struct Piece {
  std::size_t to, from, bytes;
};
using Pieces = std::vector<Piece>;

class PlaneKernelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    settings.device = 1;
    if (!device_memory.may_be_used()) device_memory.begin();
    driver = new LoadedDriver;
    ASSERT_EQ(driver->create_context(&context, 0, 0), 0);
  }
  static void TearDownTestSuite() {
    kernel_spaces.end();
    device_memory.end();
    EXPECT_EQ(driver->counts().registered, 0);
    EXPECT_EQ(driver->counts().modules, 0);
    driver->destroy_context(context);
    driver->set_current(nullptr);
  }
  void SetUp() override {
    kernel_spaces.end();  // what other tests have copied does not count
    settings.device_bytes_min = 0;
  }
  void TearDown() override {
    settings.device_bytes_min = 32768;
    host_registrations.use(nullptr);
  }

  // Copies pieces between two places of so many bytes, which are other memory of a device or the
  // host's, and compares all of it. Returns how often kernels were launched; copies that the driver
  // was asked for are counted.
  long check(const Pieces& pieces, char* to, char* from, std::size_t bytes) {
    std::mt19937 random(static_cast<unsigned>(pieces.size()));
    char* seen = driver->seen(to);
    char* given = driver->seen(from);
    std::memset(seen, '.', bytes);
    for (std::size_t i = 0; i < bytes; ++i) given[i] = static_cast<char>(random());
    std::string expected(bytes, '.');
    const StandinCounts before = driver->counts();
    DeviceBatch batch;
    for (const Piece& piece : pieces) {
      EXPECT_EQ(batch.copy(to + piece.to, from + piece.from, piece.bytes), nullptr);
      expected.replace(piece.to, piece.bytes, given + piece.from, piece.bytes);
    }
    EXPECT_EQ(batch.finish(), nullptr);
    EXPECT_TRUE(std::string(seen, bytes) == expected);
    copies = driver->counts().copies - before.copies;
    return driver->counts().launches - before.launches;
  }
  // The same from the host to the device, back, and from the device to itself.
  void check_all_ways(const Pieces& pieces, std::size_t bytes) {
    std::vector<char> host(bytes);
    char* here = static_cast<char*>(driver->allocate_bytes(bytes));
    char* there = static_cast<char*>(driver->allocate_bytes(bytes));
    EXPECT_GE(check(pieces, here, host.data(), bytes), 1);
    EXPECT_EQ(copies, 0);
    EXPECT_GE(check(pieces, host.data(), here, bytes), 1);
    EXPECT_EQ(copies, 0);
    EXPECT_GE(check(pieces, there, here, bytes), 1);
    EXPECT_EQ(copies, 0);
    driver->free_bytes(here);
    driver->free_bytes(there);
  }

  static inline LoadedDriver* driver = nullptr;
  static inline void* context = nullptr;
  long copies = 0;
};

// Runs without a rule, in the order of their places, with gaps on the sides that are asked for.
// All places and lengths are whole numbers of `unit`.
Pieces pieces_of(std::size_t count, std::size_t unit, std::size_t longest, bool gaps_here,
                 bool gaps_there, std::mt19937& random) {
  Pieces pieces;
  std::size_t to = 0, from = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = unit * (1 + random() % longest);
    to += gaps_here ? unit * (1 + random() % 5) : 0;
    from += gaps_there ? unit * (1 + random() % 7) : 0;
    pieces.push_back({to, from, bytes});
    to += bytes, from += bytes;
  }
  return pieces;
}
std::size_t end_of(const Pieces& pieces) {
  std::size_t end = 0;
  for (const Piece& piece : pieces)
    end = std::max({end, piece.to + piece.bytes, piece.from + piece.bytes});
  return end;
}

TEST_F(PlaneKernelTest, RunsWithoutARule) {
  std::mt19937 random(1);
  for (std::size_t unit : {1, 2, 4, 8, 3})
    for (int gaps : {1, 2, 3})
      for (std::size_t count : {20, 600}) {
        const Pieces pieces = pieces_of(count, unit, 9, gaps & 1, gaps & 2, random);
        check_all_ways(pieces, end_of(pieces) + 16);
      }
}

TEST_F(PlaneKernelTest, RunsFromTheLastToTheFirst) {
  std::mt19937 random(2);
  Pieces pieces = pieces_of(700, 4, 3, true, true, random);
  std::reverse(pieces.begin(), pieces.end());
  check_all_ways(pieces, end_of(pieces));
  // Elements whose extent is negative, packed one behind the other.
  pieces.clear();
  for (std::size_t i = 0; i < 700; ++i) pieces.push_back({20 * (700 - i), 12 * i, 12});
  check_all_ways(pieces, 20 * 701);
}

TEST_F(PlaneKernelTest, LongRunsBesideShortOnes) {
  std::mt19937 random(3);
  Pieces pieces = pieces_of(20, 4, 12000, true, false, random);
  for (std::size_t place = end_of(pieces);
       const Piece& piece : pieces_of(30, 8, 2, true, true, random))
    pieces.push_back({place + piece.to, place + piece.from, piece.bytes});
  check_all_ways(pieces, end_of(pieces));
}

TEST_F(PlaneKernelTest, PlanesOfManyRows) {
  Pieces pieces;
  for (std::size_t i = 0; i < 2000; ++i)
    for (std::size_t run : {0, 4, 10, 20, 37}) pieces.push_back({i * 48 + run, i * 50 + run, 3});
  check_all_ways(pieces, 2000 * 50);
  std::vector<char> host(2000 * 50);
  char* memory = static_cast<char*>(driver->allocate_bytes(2000 * 50));
  EXPECT_EQ(check(pieces, memory, host.data(), 2000 * 50), 1);
  driver->free_bytes(memory);
}

TEST_F(PlaneKernelTest, AFewCopiesAreTheDrivers) {
  std::vector<char> host(1000);
  char* memory = static_cast<char*>(driver->allocate_bytes(1000));
  EXPECT_EQ(check({{0, 0, 8}, {20, 8, 9}, {50, 17, 8}}, memory, host.data(), 1000), 0);
  EXPECT_EQ(copies, 3);
  EXPECT_EQ(check({{0, 0, 8}, {20, 8, 9}, {50, 17, 8}, {71, 25, 7}}, memory, host.data(), 1000), 1);
  EXPECT_EQ(copies, 0);
  driver->free_bytes(memory);
}

TEST_F(PlaneKernelTest, TheKernelIsTranslatedWhenThatPays) {
  settings.device_bytes_min = 32768;
  std::mt19937 random(4);
  const Pieces pieces = pieces_of(500, 4, 3, true, false, random);
  std::vector<char> host(end_of(pieces));
  char* memory = static_cast<char*>(driver->allocate_bytes(host.size()));
  long before = 0;
  while (check(pieces, memory, host.data(), host.size()) == 0 && before < 10000) before += copies;
  EXPECT_EQ(copies, 0);
  EXPECT_GT(before, 4096 - 500);
  EXPECT_LT(before, 4096);
  driver->free_bytes(memory);
}

// Host memory that is registered: kernels reach it, and its data needs no space.
char* registered;
constexpr std::size_t registered_bytes = std::size_t{4} << 20;

TEST_F(PlaneKernelTest, RegisteredMemoryIsReachedWhereItLies) {
  registered = static_cast<char*>(
      ::mmap(nullptr, registered_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  host_registrations.use([](const void* address, HostRange* range) {
    range->start = reinterpret_cast<std::uintptr_t>(registered);
    range->end = range->start + registered_bytes;
    return range->contains(reinterpret_cast<std::uintptr_t>(address));
  });
  std::mt19937 random(5);
  const Pieces pieces = pieces_of(100, 8, 8000, true, false, random);
  const std::size_t bytes = end_of(pieces);
  ASSERT_LT(bytes + 1000, registered_bytes);
  char* memory = static_cast<char*>(driver->allocate_bytes(bytes));
  const long before = driver->counts().registrations;
  EXPECT_EQ(check(pieces, memory, registered + 1000, bytes), 1);
  EXPECT_EQ(driver->counts().registrations, before + 2);  // and the list
  Pieces back = pieces;
  for (Piece& piece : back) std::swap(piece.to, piece.from);
  EXPECT_EQ(check(back, registered, memory, bytes), 1);
  EXPECT_EQ(copies, 0);
  // Elsewhere it goes through the space, which takes several launches.
  std::vector<char> host(bytes);
  EXPECT_GT(check(pieces, memory, host.data(), bytes), 2);
  host_registrations.end();
  driver->free_bytes(memory);
  ::munmap(registered, registered_bytes);
}

TEST_F(PlaneKernelTest, WhatTheDriverRefusesAreCopies) {
  std::mt19937 random(6);
  const Pieces pieces = pieces_of(100, 4, 3, true, false, random);
  std::vector<char> host(end_of(pieces));
  for (const char* refused :
       {"STANDIN_NO_KERNELS", "STANDIN_NO_LAUNCH", "STANDIN_NO_REGISTER", "STANDIN_NO_REACH"}) {
    void* own;  // a refusal of kernels is remembered
    ASSERT_EQ(driver->create_context(&own, 0, 0), 0);
    char* memory = static_cast<char*>(driver->allocate_bytes(host.size()));
    kernel_spaces.end();
    ::setenv(refused, "1", 1);
    EXPECT_EQ(check(pieces, memory, host.data(), host.size()), 0);
    EXPECT_GT(copies, 50) << refused;
    EXPECT_EQ(check(pieces, host.data(), memory, host.size()), 0);
    ::unsetenv(refused);
    driver->destroy_context(own);
    driver->set_current(context);
  }
}

TEST_F(PlaneKernelTest, ContextsComeAndGo) {
  std::mt19937 random(7);
  const Pieces pieces = pieces_of(100, 4, 3, true, false, random);
  const std::size_t bytes = end_of(pieces);
  std::vector<char> host(bytes);
  char* memory = static_cast<char*>(driver->allocate_bytes(bytes));
  for (int i = 0; i < 3; ++i) {
    void* own;
    ASSERT_EQ(driver->create_context(&own, 0, 0), 0);
    char* there = static_cast<char*>(driver->allocate_bytes(bytes));
    EXPECT_EQ(check(pieces, there, host.data(), bytes), 1);
    EXPECT_EQ(check(pieces, host.data(), memory, bytes), 1);
    // A kernel reaches no memory of another context.
    EXPECT_EQ(check(pieces, there, memory, bytes), 0);
    driver->destroy_context(own);
    driver->set_current(context);
  }
  driver->free_bytes(memory);
}

TEST_F(PlaneKernelTest, SeveralAllocationsAndContextsInOneBatch) {
  void* own;
  ASSERT_EQ(driver->create_context(&own, 0, 0), 0);
  char* there = static_cast<char*>(driver->allocate_bytes(5000));
  driver->set_current(context);
  char* here = static_cast<char*>(driver->allocate_bytes(5000));
  char* also = static_cast<char*>(driver->allocate_bytes(5000));
  std::string text(5000, 0);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  const long launches = driver->counts().launches;
  DeviceBatch batch;
  for (std::size_t i = 0; i < 40; ++i)
    for (char* memory : {here, also})
      ASSERT_EQ(batch.copy(memory + i * (i + 1), text.data() + i * i, 1 + i), nullptr);
  for (std::size_t i = 0; i < 40; ++i)
    ASSERT_EQ(batch.copy(there + i * (i + 1), text.data() + i * i, 1 + i), nullptr);
  ASSERT_EQ(batch.finish(), nullptr);
  EXPECT_EQ(driver->counts().launches - launches, 2);
  for (std::size_t i = 0; i < 40; ++i)
    for (char* memory : {here, also, there})
      ASSERT_EQ(std::string(driver->seen(memory + i * (i + 1)), 1 + i), text.substr(i * i, 1 + i));
  driver->free_bytes(here);
  driver->free_bytes(also);
  driver->set_current(own);
  driver->destroy_context(own);
  driver->set_current(context);
}

// The stand-in notices a kernel that leaves its memory: the context is lost, and the batch says so.
TEST_F(PlaneKernelTest, MemoryOfNobodyIsNotReached) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::vector<char> host(8192);
        char* memory = static_cast<char*>(driver->allocate_bytes(4096));
        DeviceBatch batch;
        for (std::size_t i = 0; i < 10; ++i)
          batch.copy(memory + (i == 9 ? 4090 : 20 * i), host.data() + 100 * i, 1 + i);
        const char* why = batch.finish();
        std::fprintf(stderr, "%s\n", why ? why : "nothing was wrong");
        std::_Exit(why ? 3 : 0);
      },
      ::testing::ExitedWithCode(3), "unspecified launch failure");
}

}  // namespace

}  // namespace baton::platform
