// The signatures of datatypes (datatype/signature.hpp) are computed when a type is made, and
// written in words where `mpiexec --check` explains a mismatch.
#pragma once

#include "datatype/datatype.hpp"
#include "datatype/signature.hpp"

namespace baton::datatype {

// These return the signature of a predefined type, and of a type that is made of others, which have
// theirs.
Signature basic_signature(const Datatype& type);
Signature signature_of_parts(const Datatype& type);

// This is "4 MPI_INT (16 bytes)", for an explanation.
struct SignatureWords {
  explicit SignatureWords(const Signature& signature);
  char text[192];
};

}  // namespace baton::datatype
