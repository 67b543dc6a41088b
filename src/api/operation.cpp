#include "api/operation.hpp"

#include "base/settings.hpp"
#include "datatype/device_reduce.hpp"
#include "world/portability.hpp"

namespace baton::api {

namespace {

Error create(MPI_User_function* function, MPI_User_function_c* function_c, int commute,
             MPI_Op* op) {
  Operation* made = nullptr;
  Error error = datatype::make_operation(function, function_c, commute != 0, &made);
  if (!error) *op = made->handle;
  return error;
}

}  // namespace

Error op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  return create(function, nullptr, commute, op);
}

Error op_create(MPI_User_function_c* function, int commute, MPI_Op* op) {
  return create(nullptr, function, commute, op);
}

Error op_free(MPI_Op* op) {
  Operation* operation = datatype::operations.find(*op);
  if (!operation)
    return fail(MPI_ERR_OP, "argument 1 (op): this is not an operation that is alive");
  if (operation->predefined)
    return fail(MPI_ERR_OP, "argument 1 (op): %s is predefined and cannot be freed",
                operation->name);
  datatype::operations.remove(*op);
  datatype::release(*operation);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

Error op_commutative(Operation& operation, int* commute) {
  *commute = operation.commutative;
  return MPI_SUCCESS;
}

Error reduce_local(const void* in, void* inout, std::int64_t count, Datatype& type,
                   Operation& operation) {
  if (Error error = datatype::check_operation(operation, type)) return error;
  if (BATON_UNLIKELY(settings.check)) note_not_portable(datatype::lenient_use(operation, type));
  return datatype::reduce_anywhere(operation, in, inout, count, type);
}

}  // namespace baton::api
