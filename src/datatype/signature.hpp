// A type signature says of which basic elements data is made, in their order, whatever its layout
// (MPI 5.0, "Derived Datatypes"), as a hash that can be computed through concatenation and
// repetition. datatype/type_signature.cpp computes those of datatypes; `mpiexec --check` compares
// them in collectives. Invariant: a signature is plain data, equal in every process of a job.
#pragma once

#include <cstdint>

namespace baton::datatype {

struct Signature {
  std::uint64_t hash = 0;
  std::uint64_t power = 1;  // factor for the hash of what stands before this one
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  std::uint64_t basic = 0;  // the basic type, where all are alike; else 0
  bool untyped = false;     // has MPI_BYTE or MPI_PACKED, which may stand for others

  // Returns the signature of this data followed by `next`.
  Signature then(const Signature& next) const;
  Signature times(std::int64_t count) const;
  // Returns whether data of one may be received as the other. Bytes and packed data are compared by
  // length: programs may send the one and receive the other.
  bool matches(const Signature& other) const;
};

}  // namespace baton::datatype
