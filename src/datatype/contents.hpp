// A record has the arguments with which a datatype was made. MPI_Type_get_envelope and
// MPI_Type_get_contents answer from it (MPI 5.0, "Decoding a Datatype"), construction reads it, and
// counting of elements walks it. It is one allocation. Layers 4 and 10 use it.
// Invariant: a record is complete when a type owns it, and never changed after; types and the
// copies that MPI_Type_get_contents hands out share it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "datatype/exact.hpp"

namespace baton::datatype {

class Datatype;

// This says which form of the constructor was called: MPI_X with int counts, or MPI_X_c with
// MPI_Count ones. The first keeps counts among the integers and displacements among the addresses;
// the second keeps both among the large counts. So one array of 64-bit numbers serves either.
enum class CountForm : std::uint8_t { ints, counts };

struct Contents {
  std::atomic<std::int32_t> references{1};
  int combiner = 0;
  CountForm form = CountForm::ints;
  std::int64_t integer_count = 0;
  std::int64_t wide_count = 0;
  std::int64_t type_count = 0;
  std::int64_t* wide = nullptr;  // addresses, or large counts
  Datatype** types = nullptr;    // each retained
  int* integers = nullptr;

  std::int64_t address_count() const { return form == CountForm::ints ? wide_count : 0; }
  std::int64_t large_count() const { return form == CountForm::counts ? wide_count : 0; }
};

void retain_contents(Contents& contents);
// Drops a reference. With the last one the types are released, but for the last type, which is
// returned for the caller to release (a chain of a million duplicates must not nest a million
// calls).
[[nodiscard]] Datatype* drop_contents(Contents* contents);

// This says how many arguments of each kind a constructor has, independent of the form.
struct Arguments {
  Exact counts = 0;
  Exact addresses = 0;
  Exact integers = 0;
  Exact types = 0;
};

// Fills a record, arguments in the order of the constructor's declaration. Without memory it
// ignores the arguments, so that callers check only at the end.
class Recorder {
 public:
  Recorder(int combiner, CountForm form, const Arguments& arguments);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Recorder& count(std::int64_t number);
  Recorder& address(std::int64_t number);
  Recorder& integer(int number);
  Recorder& type(Datatype& type);

  template <class Number>
  Recorder& counts(const Number* numbers, std::int64_t how_many) {
    for (std::int64_t i = 0; contents_ && i < how_many; ++i) count(numbers[i]);
    return *this;
  }
  template <class Number>
  Recorder& addresses(const Number* numbers, std::int64_t how_many) {
    for (std::int64_t i = 0; contents_ && i < how_many; ++i) address(numbers[i]);
    return *this;
  }
  Recorder& integers(const int* numbers, std::int64_t how_many) {
    for (std::int64_t i = 0; contents_ && i < how_many; ++i) integer(numbers[i]);
    return *this;
  }

  // Returns whether there was memory.
  bool good() const { return contents_ != nullptr; }
  const Contents& contents() const { return *contents_; }
  // Hands the record over to a type.
  Contents* take() {
    Contents* taken = contents_;
    contents_ = nullptr;
    return taken;
  }

 private:
  Contents* contents_;
};

// These are consecutive arguments, of either width.
struct Numbers {
  const int* narrow;
  const std::int64_t* wide;
  std::int64_t operator[](std::int64_t i) const { return narrow ? narrow[i] : wide[i]; }
};

// Reads a record's arguments in the order in which they were recorded.
class ArgumentReader {
 public:
  explicit ArgumentReader(const Contents& contents) : contents_(contents) {}
  std::int64_t count() { return counts(1)[0]; }
  std::int64_t address() { return contents_.wide[wide_++]; }
  int integer() { return contents_.integers[integers_++]; }
  Numbers counts(std::int64_t how_many) {
    return contents_.form == CountForm::ints ? integers(how_many) : addresses(how_many);
  }
  Numbers addresses(std::int64_t how_many) {
    Numbers numbers{nullptr, contents_.wide + wide_};
    wide_ += how_many;
    return numbers;
  }
  Numbers integers(std::int64_t how_many) {
    Numbers numbers{contents_.integers + integers_, nullptr};
    integers_ += how_many;
    return numbers;
  }

 private:
  const Contents& contents_;
  std::int64_t integers_ = 0;
  std::int64_t wide_ = 0;
};

}  // namespace baton::datatype
