// Reduction operations: what MPI_Op names. Predefined ones are kernels by element kind; user
// functions come in the int and the MPI_Count form. Used by collectives and MPI_Reduce_local.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "datatype/datatype.hpp"

namespace baton::datatype {

// inout[i] = in[i] op inout[i] for `count` elements that lie one after another.
using Kernel = void (*)(const void* in, void* inout, std::int64_t count);

class Operation {
 public:
  MPI_Op handle = MPI_OP_NULL;
  const char* name = "user function";
  bool predefined = false;
  bool commutative = true;
  MPI_User_function* function = nullptr;
  MPI_User_function_c* function_c = nullptr;
  std::atomic<std::int32_t> references{1};
};

using OperationTable = HandleTable<Operation, HandleTag::op>;
extern OperationTable operations;

// Fills the table of predefined operations. Once.
void make_predefined_operations();

Error make_operation(MPI_User_function* function, MPI_User_function_c* function_c, bool commutative,
                     Operation** made);
void release(Operation& operation);

// Whether the operation is defined on the type: MPI_SUCCESS, or MPI_ERR_OP explained.
Error check_operation(const Operation& operation, const Datatype& type);

// inout = in op inout, for `count` elements of `type`. check_operation has passed.
void reduce(const Operation& operation, const void* in, void* inout, std::int64_t count,
            const Datatype& type);

// The kernel of a predefined operation on a predefined element; null where it is not defined.
Kernel find_kernel(MPI_Op operation, Element element);

// The same for a pair without a name, by its halves.
Kernel find_pair_kernel(MPI_Op operation, Element value, Element index);

}  // namespace baton::datatype

namespace baton {
using datatype::Operation;
}
