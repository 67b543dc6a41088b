#include "datatype/operation.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <new>

#include "datatype/elements.hpp"

namespace baton::datatype {

OperationTable operations;

namespace {

struct Row {
  MPI_Op handle;
  const char* name;
};
const Row rows[] = {
    {MPI_SUM, "MPI_SUM"},         {MPI_PROD, "MPI_PROD"},     {MPI_MAX, "MPI_MAX"},
    {MPI_MIN, "MPI_MIN"},         {MPI_LAND, "MPI_LAND"},     {MPI_LOR, "MPI_LOR"},
    {MPI_LXOR, "MPI_LXOR"},       {MPI_BAND, "MPI_BAND"},     {MPI_BOR, "MPI_BOR"},
    {MPI_BXOR, "MPI_BXOR"},       {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
    {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"},
};
constexpr std::size_t row_count = sizeof rows / sizeof rows[0];
alignas(Operation) char storage[row_count][sizeof(Operation)];

// The int form of a user function takes at most INT_MAX elements a call.
void call_user(const Operation& operation, const void* in, void* inout, std::int64_t count,
               const Datatype& type) {
  MPI_Datatype handle = type.handle;
  if (operation.function_c) {
    MPI_Count all = count;
    operation.function_c(const_cast<void*>(in), inout, &all, &handle);
    return;
  }
  auto* a = static_cast<const char*>(in);
  auto* b = static_cast<char*>(inout);
  while (count > 0) {
    int piece = static_cast<int>(std::min<std::int64_t>(count, INT_MAX));
    operation.function(const_cast<char*>(a), b, &piece, &handle);
    a += piece * type.extent;
    b += piece * type.extent;
    count -= piece;
  }
}

// A duplicate of a predefined type has its operations, too.
const Datatype& undo_duplicates(const Datatype& type) {
  const Datatype* at = &type;
  while (!at->predefined) at = at->contents->types[0];
  return *at;
}

Kernel kernel_of(const Operation& operation, const Datatype& type) {
  if (type.element != Element::pair_other) return find_kernel(operation.handle, type.element);
  PairHalves halves = pair_halves(undo_duplicates(type));
  return find_pair_kernel(operation.handle, halves.value->element, halves.index->element);
}

}  // namespace

void make_predefined_operations() {
  if (operations.find(MPI_SUM)) return;
  for (std::size_t i = 0; i < row_count; ++i) {
    auto* operation = new (storage[i]) Operation;
    operation->handle = rows[i].handle;
    operation->name = rows[i].name;
    operation->predefined = true;
    operations.set_predefined(rows[i].handle, operation);
  }
}

Error make_operation(MPI_User_function* function, MPI_User_function_c* function_c, bool commutative,
                     Operation** made) {
  auto* operation = new (std::nothrow) Operation;
  if (operation) operation->handle = operations.add(operation);
  if (!operation || operation->handle == nullptr) {
    delete operation;
    return fail(MPI_ERR_NO_MEM, "no memory for an operation");
  }
  operation->function = function;
  operation->function_c = function_c;
  operation->commutative = commutative;
  *made = operation;
  return MPI_SUCCESS;
}

void release(Operation& operation) {
  if (operation.predefined) return;
  // ORDER operation.references: release by each, acquire by the last; all uses are over.
  if (operation.references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &operation;
}

Error check_operation(const Operation& operation, const Datatype& type) {
  if (!operation.predefined || kernel_of(operation, type)) return MPI_SUCCESS;
  return fail(MPI_ERR_OP, "%s is not defined on %s; use a type it is defined on, or MPI_Op_create",
              operation.name, type.name[0] ? type.name : "a derived datatype");
}

void reduce(const Operation& operation, const void* in, void* inout, std::int64_t count,
            const Datatype& type) {
  if (count == 0) return;
  if (operation.predefined)
    kernel_of(operation, type)(in, inout, count);
  else
    call_user(operation, in, inout, count, type);
}

}  // namespace baton::datatype
