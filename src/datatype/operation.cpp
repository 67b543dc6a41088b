#include "datatype/operation.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <new>

#include "platform/cpu.hpp"

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
Kernel kernels[row_count][element_count];

Kernel find_kernel(int level, bool narrow, MPI_Op operation, Element element) {
  // MPI_CHAR counts as C's char and addresses as numbers, as in other libraries, not as in the
  // standard.
  if (element == Element::text8) element = char(-1) < 0 ? Element::int8 : Element::uint8;
  if (element == Element::address64) element = Element::int64;
  Kernel found = nullptr;
#ifdef __x86_64__
  if (level >= 4)
    found = narrow ? x86_64_v4_256::find_kernel(operation, element)
                   : x86_64_v4::find_kernel(operation, element);
  else if (level == 3)
    found = x86_64_v3::find_kernel(operation, element);
#endif
  return found ? found : baseline::find_kernel(operation, element);
}

}  // namespace

void make_predefined_operations() {
  if (operations.find(MPI_SUM)) return;
  for (std::size_t i = 0; i < row_count; ++i) {
    auto* operation = new (storage[i]) Operation;
    operation->handle = rows[i].handle;
    operation->name = rows[i].name;
    operation->predefined = true;
    operation->kernels = kernels[i];
    operations.set_predefined(rows[i].handle, operation);
  }
  choose_kernels(platform::vector_level(), platform::halves_512_bits());
}

void choose_kernels(int level, bool narrow) {
  for (std::size_t i = 0; i < row_count; ++i)
    for (int element = 0; element < element_count; ++element)
      kernels[i][element] =
          find_kernel(level, narrow, rows[i].handle, static_cast<Element>(element));
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

Error refuse_operation(const Operation& operation, const Datatype& type) {
  if (operation.handle == MPI_REPLACE || operation.handle == MPI_NO_OP)
    return fail(MPI_ERR_OP, "%s is for accumulating into windows, not for reductions",
                operation.name);
  if (!type.predefined)
    return fail(MPI_ERR_OP,
                "%s is not defined on derived datatypes (here %s); use a predefined type, or "
                "MPI_Op_create",
                operation.name, type.name[0] ? type.name : "one without a name");
  return fail(MPI_ERR_OP, "%s is not defined on %s; use a type it is defined on, or MPI_Op_create",
              operation.name, type.name[0] ? type.name : "this datatype");
}

Lenience lenient_use(const Operation& operation, const Datatype& type) {
  if (!operation.predefined) return Lenience::none;
  if (type.element == Element::text8) return Lenience::text_reduction;
  bool logical =
      operation.handle == MPI_LAND || operation.handle == MPI_LOR || operation.handle == MPI_LXOR;
  return logical && type.element == Element::address64 ? Lenience::address_logic : Lenience::none;
}

// The int form of a user function takes at most INT_MAX elements a call.
void reduce_by_user(const Operation& operation, const void* in, void* inout, std::int64_t count,
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
    int step = static_cast<int>(std::min<std::int64_t>(count, INT_MAX));
    operation.function(const_cast<char*>(a), b, &step, &handle);
    a += step * type.extent;
    b += step * type.extent;
    count -= step;
  }
}

}  // namespace baton::datatype
