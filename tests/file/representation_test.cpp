// Data representations: their names, the types that data has in files, and conversion of whole data
// and of data that ends early.
#include "file/representation.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/datatype/make.hpp"

namespace baton::file {
namespace {

Datatype& predefined(MPI_Datatype handle) {
  datatype::make_predefined_datatypes();
  return *datatype::datatypes.find(handle);
}

// Of the program: each number has two more bytes in the file, zeros before it.
int extent_of_padded(MPI_Datatype type, MPI_Aint* extent, void* state) {
  const int* broken = static_cast<const int*>(state);
  *extent = broken && *broken == 1 ? -1 : predefined(type).size + 2;
  return broken && *broken == 2 ? MPI_ERR_TYPE : MPI_SUCCESS;
}
int calls;
int read_padded(void* memory, MPI_Datatype type, int count, void* packed, MPI_Offset, void*) {
  ++calls;
  const auto size = static_cast<std::size_t>(predefined(type).size);
  for (int i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(memory) + static_cast<std::size_t>(i) * size,
                static_cast<char*>(packed) + static_cast<std::size_t>(i) * (size + 2) + 2, size);
  return MPI_SUCCESS;
}
int write_padded(void* memory, MPI_Datatype type, int count, void* packed, MPI_Offset, void*) {
  const auto size = static_cast<std::size_t>(predefined(type).size);
  for (int i = 0; i < count; ++i) {
    char* at = static_cast<char*>(packed) + static_cast<std::size_t>(i) * (size + 2);
    at[0] = at[1] = 0;
    std::memcpy(at + 2, static_cast<char*>(memory) + static_cast<std::size_t>(i) * size, size);
  }
  return MPI_SUCCESS;
}
int fail_to_write(void*, MPI_Datatype, int, void*, MPI_Offset, void*) {
  return 77;
}

// Representations last as long as the process, also where a test is repeated.
const Representation& registered(const char* name, const Representation::Functions& functions) {
  if (!find_representation(name)) {
    EXPECT_EQ(register_representation(name, functions), MPI_SUCCESS);
  }
  return *find_representation(name);
}
const Representation& padded() {
  return registered("padded",
                    {.read = read_padded, .write = write_padded, .extent = extent_of_padded});
}

std::int64_t stored_size(const Representation& representation, Datatype& type,
                         std::int64_t* extent = nullptr) {
  Datatype* stored = nullptr;
  EXPECT_EQ(stored_type(representation, type, &stored), MPI_SUCCESS);
  const std::int64_t size = stored->size;
  if (extent) *extent = stored->extent;
  datatype::release(*stored);
  return size;
}

TEST(representation, three_are_there_and_programs_add_theirs) {
  EXPECT_EQ(find_representation("native"), &native_representation());
  ASSERT_NE(find_representation("internal"), nullptr);
  ASSERT_NE(find_representation("external32"), nullptr);
  EXPECT_EQ(find_representation("Native"), nullptr);
  EXPECT_STREQ(padded().name, "padded");
  EXPECT_EQ(register_representation("padded", {}), MPI_ERR_DUP_DATAREP);
  EXPECT_EQ(register_representation("native", {}), MPI_ERR_DUP_DATAREP);
}

TEST(representation, names_have_a_length_that_fits) {
  const std::string longest(MPI_MAX_DATAREP_STRING - 1, 'x');
  EXPECT_EQ(register_representation((longest + "x").c_str(), {}), MPI_ERR_ARG);
  EXPECT_EQ(registered(longest.c_str(), {}).name, longest);
}

TEST(representation, only_what_is_not_as_in_memory_is_converted) {
  EXPECT_FALSE(native_representation().converts(true));
  EXPECT_FALSE(find_representation("internal")->converts(false));
  EXPECT_TRUE(find_representation("external32")->converts(true));
  EXPECT_TRUE(padded().converts(false));
  const Representation& only_read =
      registered("only read", {.read = read_padded, .extent = extent_of_padded});
  EXPECT_TRUE(only_read.converts(false));
  EXPECT_FALSE(only_read.converts(true));
}

TEST(representation, a_type_whose_numbers_have_the_same_sizes_is_stored_as_it_is) {
  Datatype *pair = nullptr, *stored = nullptr;
  ASSERT_EQ(datatype::make_vector(2, 1, 3, predefined(MPI_INT), &pair), MPI_SUCCESS);
  for (const char* name : {"native", "external32"}) {
    ASSERT_EQ(stored_type(*find_representation(name), *pair, &stored), MPI_SUCCESS);
    EXPECT_EQ(stored, pair) << name;
    datatype::release(*stored);
  }
  datatype::release(*pair);
}

TEST(representation, types_are_made_again_of_numbers_of_other_sizes) {
  const Representation& external = *find_representation("external32");
  EXPECT_EQ(stored_size(external, predefined(MPI_LONG)), 4);
  EXPECT_EQ(stored_size(external, predefined(MPI_LONG_DOUBLE)), 16);
  std::int64_t extent;
  Datatype *vector = nullptr, *both = nullptr;
  ASSERT_EQ(datatype::make_vector(2, 1, 3, predefined(MPI_LONG), &vector), MPI_SUCCESS);
  EXPECT_EQ(stored_size(external, *vector, &extent), 8);
  EXPECT_EQ(extent, 16) << "strides are in numbers as they are in the file";
  EXPECT_EQ(stored_size(padded(), *vector, &extent), 20);
  EXPECT_EQ(extent, 40);
  const datatype::StructBlock blocks[] = {{1, 0, &predefined(MPI_INT)}, {2, 50, vector}};
  ASSERT_EQ(datatype::make_struct(blocks, 2, &both), MPI_SUCCESS);
  EXPECT_EQ(stored_size(external, *both, &extent), 4 + 2 * 8);
  EXPECT_EQ(extent, 84) << "displacements in bytes stay; a struct is rounded up";
  datatype::release(*vector);
  datatype::release(*both);
}

TEST(representation, an_extent_function_that_fails_is_an_error_of_conversion) {
  static int broken;
  const Representation& faulty =
      registered("faulty", {.extent = extent_of_padded, .extra_state = &broken});
  Datatype* stored = nullptr;
  for (broken = 1; broken <= 2; ++broken)
    EXPECT_EQ(stored_type(faulty, predefined(MPI_INT), &stored), MPI_ERR_CONVERSION);
}

TEST(representation, numbers_are_written_and_read_again) {
  Datatype& type = predefined(MPI_SHORT);
  for (const Representation* each : {find_representation("external32"), &padded()}) {
    const short numbers[] = {0x0102, -2, 7};
    char packed[12] = {};
    short read[3] = {};
    const std::int64_t size = each == &padded() ? 4 : 2;
    ASSERT_EQ(to_file(*each, type, 3, numbers, packed), MPI_SUCCESS);
    EXPECT_EQ(packed[0], size == 4 ? 0 : 1);
    std::int64_t stored = 3 * size, moved = 0;
    ASSERT_EQ(from_file(*each, type, 3, read, packed, size, &stored, &moved), MPI_SUCCESS);
    EXPECT_EQ(std::memcmp(numbers, read, sizeof read), 0);
    EXPECT_EQ(stored, 3 * size);
    EXPECT_EQ(moved, 6);
  }
}

TEST(representation, data_that_ends_early_has_the_numbers_that_are_there_whole) {
  Datatype* type = nullptr;
  ASSERT_EQ(datatype::make_contiguous(3, predefined(MPI_INT), &type), MPI_SUCCESS);
  const int numbers[] = {1, 2, 3, 4, 5, 6};
  char packed[24];
  const Representation& external = *find_representation("external32");
  ASSERT_EQ(to_file(external, *type, 2, numbers, packed), MPI_SUCCESS);
  for (std::int64_t there = 0; there <= 24; ++there) {
    int read[] = {-1, -1, -1, -1, -1, -1};
    std::int64_t stored = there, moved = -1;
    ASSERT_EQ(from_file(external, *type, 2, read, packed, 12, &stored, &moved), MPI_SUCCESS);
    EXPECT_EQ(stored, there / 4 * 4);
    EXPECT_EQ(moved, there / 4 * 4);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(read[i], i < there / 4 ? numbers[i] : -1);
  }
  datatype::release(*type);
}

TEST(representation, a_programs_function_gets_whole_elements_only) {
  Datatype& type = predefined(MPI_SHORT);
  const short numbers[] = {1, 2, 3};
  char packed[12];
  short read[3] = {-1, -1, -1};
  ASSERT_EQ(to_file(padded(), type, 3, numbers, packed), MPI_SUCCESS);
  std::int64_t stored = 11, moved = 0;
  ASSERT_EQ(from_file(padded(), type, 3, read, packed, 4, &stored, &moved), MPI_SUCCESS);
  EXPECT_EQ(stored, 8);
  EXPECT_EQ(moved, 4);
  EXPECT_EQ(read[1], 2);
  EXPECT_EQ(read[2], -1);
  const int before = calls;
  stored = 3;
  ASSERT_EQ(from_file(padded(), type, 3, read, packed, 4, &stored, &moved), MPI_SUCCESS);
  EXPECT_EQ(moved, 0);
  EXPECT_EQ(calls, before) << "it is not called for nothing";
}

TEST(representation, a_programs_function_that_fails_is_an_error_of_conversion) {
  const Representation& failing =
      registered("failing", {.write = fail_to_write, .extent = extent_of_padded});
  char packed[8];
  short number = 1;
  EXPECT_EQ(to_file(failing, predefined(MPI_SHORT), 1, &number, packed), MPI_ERR_CONVERSION);
  EXPECT_NE(std::string(last_explanation().text).find("77"), std::string::npos);
}

}  // namespace
}  // namespace baton::file
