// Reductions by a device have the same bits as those by the processor: each operation on each type
// that devices have, by the code that the driver would get, instruction by instruction. And what
// goes through the host: what devices do not have, and what the driver refuses.
#include "datatype/device_reduce.hpp"

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"
#include "platform/device/device_reduce.hpp"
#include "platform/memory_kind.hpp"
#include "tests/device/loaded_driver.hpp"

namespace baton::datatype {

namespace {

using platform::device_memory;
using platform::device_scratch;
using platform::LoadedDriver;

const MPI_Op all_operations[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                                 MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
const MPI_Datatype all_types[] = {MPI_CHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR,
                                  MPI_BYTE,
                                  MPI_SHORT,
                                  MPI_UNSIGNED_SHORT,
                                  MPI_INT,
                                  MPI_UNSIGNED,
                                  MPI_LONG,
                                  MPI_UNSIGNED_LONG,
                                  MPI_INT8_T,
                                  MPI_INT16_T,
                                  MPI_INT32_T,
                                  MPI_INT64_T,
                                  MPI_UINT8_T,
                                  MPI_UINT16_T,
                                  MPI_UINT32_T,
                                  MPI_UINT64_T,
                                  MPI_AINT,
                                  MPI_COUNT,
                                  MPI_FLOAT,
                                  MPI_DOUBLE,
                                  MPI_LONG_DOUBLE,
                                  MPI_C_BOOL,
                                  MPI_C_FLOAT_COMPLEX,
                                  MPI_C_DOUBLE_COMPLEX,
                                  MPI_INTEGER,
                                  MPI_REAL,
                                  MPI_LOGICAL,
                                  MPI_FLOAT_INT,
                                  MPI_DOUBLE_INT,
                                  MPI_LONG_INT,
                                  MPI_2INT,
                                  MPI_SHORT_INT,
                                  MPI_LONG_DOUBLE_INT,
                                  MPI_2REAL,
                                  MPI_2DOUBLE_PRECISION,
                                  MPI_REAL2,
                                  MPI_INTEGER2,
                                  MPI_LOGICAL1};

// Real numbers are small, and no NaN, whose bits may differ.
void fix(Element element, char* at, std::mt19937& random) {
  const auto real = [&] { return (static_cast<double>(random() % 2001) - 1000) / 7; };
  const auto put = [&](auto value, std::size_t offset) {
    std::memcpy(at + offset, &value, sizeof value);
  };
  switch (element) {
    case Element::float16:
      return put(static_cast<_Float16>(real()), 0);
    case Element::float32:
    case Element::pair_float_int:
      return put(static_cast<float>(real()), 0);
    case Element::float64:
    case Element::pair_double_int:
      return put(real(), 0);
    case Element::complex32:
    case Element::pair_float_float:
      put(static_cast<float>(real()), 0);
      return put(static_cast<float>(real()), 4);
    case Element::complex64:
    case Element::pair_double_double:
      put(real(), 0);
      return put(real(), 8);
    default:
      return;
  }
}

// Small numbers, so that many are equal, and any bits.
std::string numbers(const Datatype& type, std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string data(bytes, 0);
  for (char& byte : data) byte = static_cast<char>(random() % 3 ? random() % 4 : random());
  const auto step = static_cast<std::size_t>(type.extent);
  for (std::size_t at = 0; at + step <= bytes; at += step)
    fix(type.element, data.data() + at, random);
  return data;
}

class DeviceReduceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    settings.device = 1;
    settings.device_bytes_min = 0;
    make_predefined_datatypes();
    make_predefined_operations();
    if (!device_memory.may_be_used()) device_memory.begin();
    platform::memory_kinds.use(nullptr);
    driver = new LoadedDriver;
    ASSERT_EQ(driver->create_context(&context, 0, 0), 0);
  }
  static void TearDownTestSuite() {
    device_scratch.end();
    device_memory.end();
    EXPECT_EQ(driver->counts().modules, 0);
    driver->destroy_context(context);
    driver->set_current(nullptr);
  }

  static inline LoadedDriver* driver = nullptr;
  static inline void* context = nullptr;
};

// One operation on one type: less than a block of threads, and more, the last block not full.
void expect_same_bits(LoadedDriver& driver, const Operation& operation, const Datatype& type,
                      unsigned seed) {
  const std::string what = std::string(operation.name) + " of " + type.name;
  for (std::int64_t count : {1, 700}) {
    const auto bytes = static_cast<std::size_t>(count * type.extent);
    const std::string in = numbers(type, bytes, seed);
    std::string expected = numbers(type, bytes, seed + 1000);
    void* left = driver.allocate_bytes(bytes);
    void* right = driver.allocate_bytes(bytes);
    std::memcpy(driver.seen(left), in.data(), bytes);
    std::memcpy(driver.seen(right), expected.data(), bytes);
    const long launches = driver.counts().launches;
    EXPECT_EQ(reduce_anywhere(operation, left, right, count, type), MPI_SUCCESS);
    EXPECT_EQ(driver.counts().launches, launches + 1) << what;
    reduce(operation, in.data(), expected.data(), count, type);
    EXPECT_TRUE(std::string(driver.seen(right), bytes) == expected) << what;
    EXPECT_TRUE(std::string(driver.seen(left), bytes) == in) << what;
    driver.free_bytes(left);
    driver.free_bytes(right);
  }
}

TEST_F(DeviceReduceTest, HasTheSameBitsAsTheProcessors) {
  unsigned tried = 0;
  for (MPI_Op handle : all_operations) {
    const Operation& operation = *operations.find(handle);
    void* own;  // so many kernels are kept in no context
    ASSERT_EQ(driver->create_context(&own, 0, 0), 0);
    for (MPI_Datatype named : all_types) {
      const Datatype& type = *datatypes.find(named);
      if (devices_reduce(operation, type)) expect_same_bits(*driver, operation, type, ++tried);
    }
    driver->destroy_context(own);
    driver->set_current(context);
  }
  EXPECT_GT(tried, 200u);
}

TEST_F(DeviceReduceTest, ManyMoreElementsThanThreads) {
  constexpr std::int64_t count = 700'001;  // more than 2048 blocks of 256 threads
  constexpr std::size_t bytes = count * sizeof(int);
  void* left = driver->allocate_bytes(bytes);
  void* right = driver->allocate_bytes(bytes);
  int* in = reinterpret_cast<int*>(driver->seen(left));
  int* inout = reinterpret_cast<int*>(driver->seen(right));
  for (int i = 0; i < count; ++i) in[i] = i, inout[i] = 3 * i;
  EXPECT_EQ(
      reduce_anywhere(*operations.find(MPI_SUM), left, right, count, *datatypes.find(MPI_INT)),
      MPI_SUCCESS);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += inout[i] != 4 * i;
  EXPECT_EQ(wrong, 0);
  driver->free_bytes(left);
  driver->free_bytes(right);
}

// Adds ten numbers, of which each operand lies in a place that the caller chooses.
void expect_sum(LoadedDriver& driver, void* left, void* right, bool by_device) {
  double in[10], inout[10];
  for (int i = 0; i < 10; ++i) in[i] = i, inout[i] = 100 * i;
  std::memcpy(driver.seen(left), in, sizeof in);
  std::memcpy(driver.seen(right), inout, sizeof inout);
  const long launches = driver.counts().launches;
  EXPECT_EQ(
      reduce_anywhere(*operations.find(MPI_SUM), left, right, 10, *datatypes.find(MPI_DOUBLE)),
      MPI_SUCCESS);
  EXPECT_EQ(driver.counts().launches - launches, by_device ? 1 : 0);
  std::memcpy(inout, driver.seen(right), sizeof inout);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(inout[i], 101 * i);
}

TEST_F(DeviceReduceTest, OperandsMayLieInAnyMemory) {
  double on_host[10];
  char* left = static_cast<char*>(driver->allocate_bytes(200));
  char* right = static_cast<char*>(driver->allocate_bytes(200));
  void* of_pool = driver->allocate_kind(standin_pool, 200, nullptr);
  void* managed = driver->allocate_kind(standin_managed, 200, nullptr);
  expect_sum(*driver, left, right, true);
  expect_sum(*driver, of_pool, right, true);
  expect_sum(*driver, left, managed, true);
  expect_sum(*driver, on_host, right, false);
  expect_sum(*driver, left, on_host, false);
  expect_sum(*driver, left + 4, right, false);
  settings.device_bytes_min = 81;
  expect_sum(*driver, left, right, false);
  settings.device_bytes_min = 0;
  for (void* memory : {static_cast<void*>(left), static_cast<void*>(right), of_pool, managed})
    driver->free_bytes(memory);
}

TEST_F(DeviceReduceTest, WhatTheDriverRefusesGoesThroughTheHost) {
  void* left = driver->allocate_bytes(200);
  void* right = driver->allocate_bytes(200);
  ::setenv("STANDIN_NO_LAUNCH", "1", 1);
  expect_sum(*driver, left, right, false);
  ::unsetenv("STANDIN_NO_LAUNCH");
  expect_sum(*driver, left, right, true);
  void* other;
  ASSERT_EQ(driver->create_context(&other, 0, 0), 0);
  void* here = driver->allocate_bytes(200);
  void* there = driver->allocate_bytes(200);
  ::setenv("STANDIN_NO_KERNELS", "1", 1);
  expect_sum(*driver, here, there, false);
  ::unsetenv("STANDIN_NO_KERNELS");
  expect_sum(*driver, here, there, false);  // it is not asked again
  driver->destroy_context(other);
  driver->set_current(context);
  driver->free_bytes(left);
  driver->free_bytes(right);
}

TEST_F(DeviceReduceTest, ScratchIsKept) {
  void* beside = driver->allocate_bytes(100);
  const long before = driver->counts().blocks;
  void* first = device_scratch.take(beside, 1000);
  void* second = device_scratch.take(beside, 1000);
  EXPECT_NE(first, second);
  device_scratch.give_back(first);
  EXPECT_EQ(device_scratch.take(beside, 2000), first);
  device_scratch.give_back(first);
  device_scratch.give_back(second);
  EXPECT_EQ(driver->counts().blocks, before + 2);
  ::setenv("STANDIN_MEMORY_MAX", "3000000", 1);
  EXPECT_EQ(device_scratch.take(beside, 4'000'000), nullptr);
  // What nobody used has made place.
  EXPECT_EQ(driver->counts().blocks, before);
  ::unsetenv("STANDIN_MEMORY_MAX");
  int on_host;
  EXPECT_EQ(device_scratch.take(&on_host, 100), nullptr);
  driver->free_bytes(beside);
}

}  // namespace

}  // namespace baton::datatype
