// The signatures of datatypes (datatype/signature.hpp): computed when a type is made, and as words
// where `mpiexec --check` explains what does not match.
#pragma once

#include "datatype/datatype.hpp"
#include "datatype/signature.hpp"

namespace baton::datatype {

// Of a predefined type; of one that is made of others, which have theirs.
Signature basic_signature(const Datatype& type);
Signature signature_of_parts(const Datatype& type);

// "4 MPI_INT (16 bytes)", for an explanation.
struct SignatureWords {
  explicit SignatureWords(const Signature& signature);
  char text[192];
};

}  // namespace baton::datatype
