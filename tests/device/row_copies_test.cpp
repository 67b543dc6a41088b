// Copies in a row: how many the driver is asked for, and that each byte is where it belongs. The
// driver is loaded by now (device_memory_test.cpp).
#include "platform/device/device_batch.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"
#include "tests/device/loaded_driver.hpp"

namespace baton::platform {

namespace {

class DeviceBatchTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    settings.device = 1;
    if (!device_memory.may_be_used()) device_memory.begin();
    driver = new LoadedDriver;
    ASSERT_EQ(driver->create_context(&context, 0, 0), 0);
  }
  static void TearDownTestSuite() {
    device_memory.end();
    driver->destroy_context(context);
    driver->set_current(nullptr);
  }
  void SetUp() override {
    memory = static_cast<char*>(driver->allocate_bytes(bytes));
    seen = driver->seen(memory);
    for (std::size_t i = 0; i < bytes; ++i) text.push_back(static_cast<char>('a' + i % 23));
  }
  void TearDown() override { driver->free_bytes(memory); }

  // Copies text to these places, in its order, and compares all of the memory.
  void check(const std::vector<std::pair<std::size_t, std::size_t>>& runs, long copies) {
    std::string expected(bytes, '.');
    std::memset(seen, '.', bytes);
    const long before = driver->counts().copies;
    DeviceBatch batch;
    std::size_t position = 0;
    for (const auto& [place, length] : runs) {
      EXPECT_EQ(batch.copy(memory + place, text.data() + position, length), nullptr);
      expected.replace(place, length, text, position, length);
      position += length;
    }
    EXPECT_EQ(batch.finish(), nullptr);
    EXPECT_EQ(driver->counts().copies - before, copies);
    EXPECT_TRUE(std::string(seen, bytes) == expected);
  }

  static constexpr std::size_t bytes = 10000;
  static inline LoadedDriver* driver = nullptr;
  static inline void* context = nullptr;
  char *memory = nullptr, *seen = nullptr;
  std::string text;
};

TEST_F(DeviceBatchTest, RowsAtEqualDistancesAreOneCopy) {
  check({{0, 8}, {20, 8}, {40, 8}, {60, 8}}, 1);
}

TEST_F(DeviceBatchTest, RunsBehindEachOtherAreOneCopy) {
  check({{10, 8}, {18, 100}, {118, 1}}, 1);
}

TEST_F(DeviceBatchTest, OtherRunsAreCopiesOfTheirOwn) {
  check({{0, 8}, {20, 8}, {50, 8}, {9, 4}, {5000, 4}, {100, 0}}, 3);
  check({{0, 8}, {20, 9}, {40, 9}, {60, 8}}, 3);
  check({{60, 8}, {40, 8}, {20, 8}}, 3);
}

TEST_F(DeviceBatchTest, PlanesFollowEachOther) {
  check({{0, 8}, {20, 8}, {40, 8}, {100, 4}, {120, 4}, {140, 4}}, 2);
}

// Runs at these places of elements, each so far behind the one before.
std::vector<std::pair<std::size_t, std::size_t>> elements(
    const std::vector<std::pair<std::size_t, std::size_t>>& runs, std::size_t extent,
    std::size_t count, std::size_t first = 0) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t i = 0; i < count; ++i)
    for (const auto& [place, length] : runs) all.emplace_back(first + i * extent + place, length);
  return all;
}

TEST_F(DeviceBatchTest, EachRunOfAnElementIsOneCopy) {
  check(elements({{0, 8}, {12, 4}, {20, 8}}, 32, 300), 3);
  check(elements({{0, 8}, {12, 4}, {20, 8}}, 32, 3), 3);
  // The end of each lies before the beginning of the next one.
  check(elements({{0, 8}, {20, 12}}, 32, 300), 3);
  // They are not in the order of their places.
  check(elements({{16, 8}, {0, 8}}, 24, 300), 2);
  check(elements({{16, 4}, {0, 8}}, 24, 2), 2);
}

TEST_F(DeviceBatchTest, RepetitionsFollowOthersAndEachOther) {
  auto runs = elements({{0, 8}, {12, 4}, {20, 8}}, 32, 100);
  runs.erase(runs.begin());
  check(runs, 3);
  runs.pop_back();
  check(runs, 3);
  runs.insert(runs.begin(), {9000, 3});
  const auto more = elements({{0, 1}, {3, 2}}, 7, 200, 4000);
  runs.insert(runs.end(), more.begin(), more.end());
  check(runs, 6);
}

TEST_F(DeviceBatchTest, RowsFromTheLastToTheFirst) {
  std::string expected(bytes, '.');
  std::memset(seen, '.', bytes);
  const long before = driver->counts().copies;
  DeviceBatch batch;
  for (std::size_t i = 0; i < 300; ++i) {
    ASSERT_EQ(batch.copy(memory + 9000 - 20 * i, text.data() + 9500 - 30 * i, 8), nullptr);
    expected.replace(9000 - 20 * i, 8, text, 9500 - 30 * i, 8);
  }
  ASSERT_EQ(batch.finish(), nullptr);
  EXPECT_EQ(driver->counts().copies - before, 1);
  EXPECT_TRUE(std::string(seen, bytes) == expected);
}

TEST_F(DeviceBatchTest, ElementsOfManyRuns) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t i = 2; i < 52; ++i) runs.emplace_back(i * i, 1 + i % 2);
  check(elements(runs, 2800, 3), 50);
  // More than are looked at: two runs of the same length are a plane, and no more.
  runs.clear();
  for (std::size_t i = 1; i <= 90; ++i) runs.emplace_back(i * (i + 1) / 2, 1);
  check(elements(runs, 5000, 2), 90);
}

TEST_F(DeviceBatchTest, RunsWithoutARule) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t i = 0, place = 0; place + 20 < bytes; place += 10 + i * i % 7, ++i)
    runs.emplace_back(place, 1 + i * i * i % 9);
  std::string expected(bytes, '.');
  std::memset(seen, '.', bytes);
  DeviceBatch batch;
  std::size_t position = 0;
  for (const auto& [place, length] : runs) {
    ASSERT_EQ(batch.copy(memory + place, text.data() + position, length), nullptr);
    expected.replace(place, length, text, position, length);
    position += length;
  }
  ASSERT_EQ(batch.finish(), nullptr);
  EXPECT_TRUE(std::string(seen, bytes) == expected);
}

TEST_F(DeviceBatchTest, APlaneDoesNotReachIntoAnotherAllocation) {
  char* other = static_cast<char*>(driver->allocate_bytes(bytes));
  ASSERT_GT(other, memory);
  const long before = driver->counts().copies;
  DeviceBatch batch;
  EXPECT_EQ(batch.copy(memory, text.data(), 8), nullptr);
  EXPECT_EQ(batch.copy(other, text.data() + 8, 8), nullptr);
  EXPECT_EQ(batch.finish(), nullptr);
  EXPECT_EQ(driver->counts().copies - before, 2);
  EXPECT_EQ(std::string(seen, 8) + std::string(driver->seen(other), 8), text.substr(0, 16));
  driver->free_bytes(other);
}

TEST_F(DeviceBatchTest, MemoryOfTwoContexts) {
  void* other_context;
  ASSERT_EQ(driver->create_context(&other_context, 0, 1), 0);
  char* other = static_cast<char*>(driver->allocate_bytes(bytes));
  DeviceBatch batch;
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(batch.copy(memory + 100 * i, text.data() + 16 * i, 8), nullptr);
    EXPECT_EQ(batch.copy(other + 100 * i, text.data() + 16 * i + 8, 8), nullptr);
  }
  EXPECT_EQ(batch.finish(), nullptr);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(std::string(seen + 100 * i, 8) + std::string(driver->seen(other) + 100 * i, 8),
              text.substr(16 * i, 16));
  driver->free_bytes(other);
  driver->destroy_context(other_context);
}

TEST_F(DeviceBatchTest, HostMemoryOnBothSidesIsAnError) {
  char here[8], there[8] = {};
  DeviceBatch batch;
  EXPECT_STREQ(batch.copy(here, there, 8), "the memory is no device's any more");
}

}  // namespace

}  // namespace baton::platform
