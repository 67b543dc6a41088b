// MPI_Op names an Operation. Predefined operations are kernels by element kind; user functions come
// in the int and the MPI_Count form. Collectives and MPI_Reduce_local use this.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "base/lenience.hpp"
#include "datatype/datatype.hpp"
#include "datatype/kernels.hpp"

namespace baton::datatype {

class Operation {
 public:
  MPI_Op handle = MPI_OP_NULL;
  const char* name = "user function";
  bool predefined = false;
  bool commutative = true;
  const Kernel* kernels = nullptr;  // for a predefined one, by element; null where undefined
  MPI_User_function* function = nullptr;
  MPI_User_function_c* function_c = nullptr;
  std::atomic<std::int32_t> references{1};
};

using OperationTable = HandleTable<Operation, HandleTag::op>;
extern OperationTable operations;

// Fills the table of predefined operations, with the best kernels that the CPU and the setting
// vector_level_max allow. It is called once.
void make_predefined_operations();

// Takes the kernels of another level of x86-64 (1, 3 or 4, see platform/cpu.hpp); the CPU must have
// it. `narrow` chooses level 4 with vectors of 256 bits. Tests and make_predefined_operations call
// it.
void choose_kernels(int level, bool narrow = false);

Error make_operation(MPI_User_function* function, MPI_User_function_c* function_c, bool commutative,
                     Operation** made);
// A freed operation lives until the last collective that uses it has ended, which holds a
// reference.
inline void retain(Operation& operation) {
  // relaxed: whoever retains already holds a reference.
  if (!operation.predefined) operation.references.fetch_add(1, std::memory_order_relaxed);
}
void release(Operation& operation);

// Returns the kernel of a predefined operation; null where it is not defined.
BATON_INLINE Kernel kernel_of(const Operation& operation, const Datatype& type) {
  return operation.kernels[static_cast<int>(type.element)];
}

// Returns the kind of lenience (base/lenience.hpp) of an operation that the standard does not
// define on the type, and that is carried out all the same, since other libraries do so.
Lenience lenient_use(const Operation& operation, const Datatype& type);

// Checks whether the operation is defined on the type: MPI_SUCCESS, or MPI_ERR_OP explained. A
// predefined one is defined on predefined types only, named or not: no derived type, nor a
// duplicate (MPI 5.0, "Reduce": "work only with the MPI types listed").
BATON_COLD Error refuse_operation(const Operation& operation, const Datatype& type);
BATON_INLINE Error check_operation(const Operation& operation, const Datatype& type) {
  bool defined = !operation.predefined || (type.predefined && kernel_of(operation, type));
  return BATON_LIKELY(defined) ? MPI_SUCCESS : refuse_operation(operation, type);
}

// Computes inout = in op inout, for `count` elements of `type`. check_operation must have passed.
void reduce_by_user(const Operation& operation, const void* in, void* inout, std::int64_t count,
                    const Datatype& type);
BATON_INLINE void reduce(const Operation& operation, const void* in, void* inout,
                         std::int64_t count, const Datatype& type) {
  if (BATON_UNLIKELY(count == 0)) return;
  if (BATON_LIKELY(operation.predefined)) return kernel_of(operation, type)(in, inout, count);
  reduce_by_user(operation, in, inout, count, type);
}

}  // namespace baton::datatype

namespace baton {
using datatype::Operation;
}
