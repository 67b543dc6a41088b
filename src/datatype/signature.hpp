// Type signatures: which basic elements data is made of, in their order, whatever its layout (MPI
// 5.0, "Derived Datatypes"), as a hash that concatenation and repetition keep. Those of datatypes
// are made in datatype/type_signature.cpp, and compared where `mpiexec --check` looks at
// collectives. Invariant: plain data, the same in every process of a job.
#pragma once

#include <cstdint>

namespace baton::datatype {

struct Signature {
  std::uint64_t hash = 0;
  std::uint64_t power = 1;  // what concatenation multiplies a hash before this one with
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  std::uint64_t basic = 0;  // which basic type, where all are alike; else 0
  bool untyped = false;     // has MPI_BYTE or MPI_PACKED, which may stand for others

  // This one, and `next` behind it.
  Signature then(const Signature& next) const;
  Signature times(std::int64_t count) const;
  // Whether data of one may be received as the other. Bytes and packed data are compared by length:
  // programs that send the one and receive the other work.
  bool matches(const Signature& other) const;
};

}  // namespace baton::datatype
