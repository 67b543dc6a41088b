#include "callback.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace baton::fortran {

namespace {

std::mutex lock;

// --- C functions of their own.

constexpr std::size_t functions_max = 256;

// Fortran's functions of one kind, in the order in which they came.
struct Functions {
  std::array<std::atomic<Function*>, functions_max> all{};
  // functions_max where there are too many.
  std::size_t place_of(Function* function) {
    std::scoped_lock guard(lock);
    for (std::size_t i = 0; i < functions_max; ++i) {
      // ORDER functions: relaxed; who calls it has got its C function from here.
      Function* there = all[i].load(std::memory_order_relaxed);
      if (there == function) return i;
      if (there) continue;
      all[i].store(function, std::memory_order_relaxed);
      return i;
    }
    return functions_max;
  }
  template <class... Arguments>
  void call(std::size_t place, Arguments*... arguments) {
    Function* function = all[place].load(std::memory_order_relaxed);
    reinterpret_cast<void (*)(Arguments * ...)>(function)(arguments...);
  }
};

Functions operations, large_operations, comm_handlers, file_handlers, session_handlers,
    win_handlers;

template <std::size_t place>
void operation(void* in, void* inout, int* count, MPI_Datatype* type) {
  Fint number_of_type = number(*type);
  operations.call(place, in, inout, count, &number_of_type);
}

template <std::size_t place>
void large_operation(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  Fint number_of_type = number(*type);
  large_operations.call(place, in, inout, count, &number_of_type);
}

template <Functions* functions, class Handle, std::size_t place>
void handler(Handle* object, int* error, ...) {
  Fint number_of_object = number(*object);
  functions->call(place, &number_of_object, error);
}

// The function of that number out of a family.
template <class Type, class Family, std::size_t... places>
Type* pick(Family family, std::size_t place, std::index_sequence<places...>) {
  static constexpr std::array<Type*, sizeof...(places)> all{
      family.template operator()<places>()...};
  return place < all.size() ? all[place] : nullptr;
}

template <class Type, class Family>
Type* pick(Family family, std::size_t place) {
  return pick<Type>(family, place, std::make_index_sequence<functions_max>());
}

}  // namespace

MPI_User_function* operation_for(Function* function) {
  return pick<MPI_User_function>(
      []<std::size_t p>() consteval { return &operation<p>; }, operations.place_of(function));
}

MPI_User_function_c* large_operation_for(Function* function) {
  return pick<MPI_User_function_c>(
      []<std::size_t p>() consteval { return &large_operation<p>; },
      large_operations.place_of(function));
}

MPI_Comm_errhandler_function* comm_handler_for(Function* function) {
  return pick<MPI_Comm_errhandler_function>(
      []<std::size_t p>() consteval { return &handler<&comm_handlers, MPI_Comm, p>; },
      comm_handlers.place_of(function));
}

MPI_File_errhandler_function* file_handler_for(Function* function) {
  return pick<MPI_File_errhandler_function>(
      []<std::size_t p>() consteval { return &handler<&file_handlers, MPI_File, p>; },
      file_handlers.place_of(function));
}

MPI_Session_errhandler_function* session_handler_for(Function* function) {
  return pick<MPI_Session_errhandler_function>(
      []<std::size_t p>() consteval { return &handler<&session_handlers, MPI_Session, p>; },
      session_handlers.place_of(function));
}

MPI_Win_errhandler_function* win_handler_for(Function* function) {
  return pick<MPI_Win_errhandler_function>(
      []<std::size_t p>() consteval { return &handler<&win_handlers, MPI_Win, p>; },
      win_handlers.place_of(function));
}

// --- attributes.

namespace {

std::unordered_set<const void*>& cells() {
  static auto* all = new std::unordered_set<const void*>;  // used while the process ends
  return *all;
}

bool is_cell(const void* attribute) {
  std::scoped_lock guard(lock);
  return cells().contains(attribute);
}

}  // namespace

MPI_Aint* make_cell(MPI_Aint value) {
  auto* cell = new MPI_Aint(value);
  std::scoped_lock guard(lock);
  cells().insert(cell);
  return cell;
}

MPI_Aint value_of(void* attribute) {
  return is_cell(attribute) ? *static_cast<MPI_Aint*>(attribute)
                            : reinterpret_cast<MPI_Aint>(attribute);
}

void free_cell(void* attribute) {
  {
    std::scoped_lock guard(lock);
    if (cells().erase(attribute) == 0) return;
  }
  delete static_cast<MPI_Aint*>(attribute);
}

Keyval* keyval_for(const Keyval& wanted) {
  static auto* all = new std::deque<Keyval>;
  std::scoped_lock guard(lock);
  for (Keyval& keyval : *all)
    if (keyval == wanted) return &keyval;
  return &all->emplace_back(wanted);
}

template <class Handle>
int copy_attribute(Handle object, int keyval, void* extra, void* in, void* out, int* flag) {
  const Keyval& mine = *static_cast<Keyval*>(extra);
  Fint number_of_object = number(object), error = MPI_SUCCESS;
  MPI_Aint result = 0;
  if (mine.small) {
    Fint state = static_cast<Fint>(mine.extra_state), value = static_cast<Fint>(value_of(in)),
         made = 0;
    reinterpret_cast<void (*)(Fint*, int*, Fint*, Fint*, Fint*, int*, Fint*)>(mine.copy)(
        &number_of_object, &keyval, &state, &value, &made, flag, &error);
    result = made;
  } else {
    MPI_Aint state = mine.extra_state, value = value_of(in);
    reinterpret_cast<void (*)(Fint*, int*, MPI_Aint*, MPI_Aint*, MPI_Aint*, int*, Fint*)>(
        mine.copy)(&number_of_object, &keyval, &state, &value, &result, flag, &error);
  }
  // A copy of what C has set is C's, too.
  if (error == MPI_SUCCESS && *flag)
    *static_cast<void**>(out) = is_cell(in) ? make_cell(result) : reinterpret_cast<void*>(result);
  return error;
}

template <class Handle>
int delete_attribute(Handle object, int keyval, void* attribute, void* extra) {
  const Keyval& mine = *static_cast<Keyval*>(extra);
  Fint number_of_object = number(object), error = MPI_SUCCESS;
  if (mine.small) {
    Fint state = static_cast<Fint>(mine.extra_state),
         value = static_cast<Fint>(value_of(attribute));
    reinterpret_cast<void (*)(Fint*, int*, Fint*, Fint*, Fint*)>(mine.remove)(
        &number_of_object, &keyval, &value, &state, &error);
  } else {
    MPI_Aint state = mine.extra_state, value = value_of(attribute);
    reinterpret_cast<void (*)(Fint*, int*, MPI_Aint*, MPI_Aint*, Fint*)>(mine.remove)(
        &number_of_object, &keyval, &value, &state, &error);
  }
  if (error == MPI_SUCCESS) free_cell(attribute);
  return error;
}

template int copy_attribute(MPI_Comm, int, void*, void*, void*, int*);
template int copy_attribute(MPI_Datatype, int, void*, void*, void*, int*);
template int copy_attribute(MPI_Win, int, void*, void*, void*, int*);
template int delete_attribute(MPI_Comm, int, void*, void*);
template int delete_attribute(MPI_Datatype, int, void*, void*);
template int delete_attribute(MPI_Win, int, void*, void*);

// --- the standard's functions.

#define BATON_COPY_FUNCTIONS(kind)                                                             \
  FORTRAN void mpi_##kind##_null_copy_fn_(Fint*, Fint*, MPI_Aint*, MPI_Aint*, MPI_Aint*,       \
                                          Fint* flag, Fint* error) {                           \
    *flag = 0;                                                                                 \
    *error = MPI_SUCCESS;                                                                      \
  }                                                                                            \
  FORTRAN void mpi_##kind##_dup_fn_(Fint*, Fint*, MPI_Aint*, MPI_Aint* in, MPI_Aint* out,      \
                                    Fint* flag, Fint* error) {                                 \
    *out = *in;                                                                                \
    *flag = 1;                                                                                 \
    *error = MPI_SUCCESS;                                                                      \
  }                                                                                            \
  FORTRAN void mpi_##kind##_null_delete_fn_(Fint*, Fint*, MPI_Aint*, MPI_Aint*, Fint* error) { \
    *error = MPI_SUCCESS;                                                                      \
  }
BATON_COPY_FUNCTIONS(comm)
BATON_COPY_FUNCTIONS(type)
BATON_COPY_FUNCTIONS(win)
#undef BATON_COPY_FUNCTIONS

FORTRAN void mpi_null_copy_fn_(Fint*, Fint*, Fint*, Fint*, Fint*, Fint* flag, Fint* error) {
  *flag = 0;
  *error = MPI_SUCCESS;
}

FORTRAN void mpi_dup_fn_(Fint*, Fint*, Fint*, Fint* in, Fint* out, Fint* flag, Fint* error) {
  *out = *in;
  *flag = 1;
  *error = MPI_SUCCESS;
}

FORTRAN void mpi_null_delete_fn_(Fint*, Fint*, Fint*, Fint*, Fint* error) {
  *error = MPI_SUCCESS;
}

// Recognized when they are registered, never called.
FORTRAN void mpi_conversion_fn_null_() {}
FORTRAN void mpi_conversion_fn_null_c_() {}

// --- generalized requests and data representations.

int query_generalized(void* extra, MPI_Status* status) {
  const auto& mine = *static_cast<Generalized*>(extra);
  MPI_Aint state = mine.extra_state;
  Fint error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, MPI_Status*, Fint*)>(mine.query)(&state, status, &error);
  return error;
}

int free_generalized(void* extra) {
  auto* mine = static_cast<Generalized*>(extra);
  MPI_Aint state = mine->extra_state;
  Fint error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, Fint*)>(mine->free)(&state, &error);
  delete mine;
  return error;
}

int cancel_generalized(void* extra, int complete) {
  const auto& mine = *static_cast<Generalized*>(extra);
  MPI_Aint state = mine.extra_state;
  Fint error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, int*, Fint*)>(mine.cancel)(&state, &complete, &error);
  return error;
}

namespace {

template <class Count>
int convert(Function* function, void* user, MPI_Datatype type, Count count, void* file,
            MPI_Offset position, MPI_Aint state) {
  Fint number_of_type = number(type), error = MPI_SUCCESS;
  reinterpret_cast<void (*)(void*, Fint*, Count*, void*, MPI_Offset*, MPI_Aint*, Fint*)>(function)(
      user, &number_of_type, &count, file, &position, &state, &error);
  return error;
}

}  // namespace

template <class Count>
int read_conversion(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position,
                    void* extra) {
  const auto& mine = *static_cast<DataRepresentation*>(extra);
  return convert(mine.read, user, type, count, file, position, mine.extra_state);
}

template <class Count>
int write_conversion(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position,
                     void* extra) {
  const auto& mine = *static_cast<DataRepresentation*>(extra);
  return convert(mine.write, user, type, count, file, position, mine.extra_state);
}

template int read_conversion(void*, MPI_Datatype, int, void*, MPI_Offset, void*);
template int read_conversion(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*);
template int write_conversion(void*, MPI_Datatype, int, void*, MPI_Offset, void*);
template int write_conversion(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*);

int extent_in_file(MPI_Datatype type, MPI_Aint* extent, void* extra) {
  const auto& mine = *static_cast<DataRepresentation*>(extra);
  Fint number_of_type = number(type), error = MPI_SUCCESS;
  MPI_Aint state = mine.extra_state;
  reinterpret_cast<void (*)(Fint*, MPI_Aint*, MPI_Aint*, Fint*)>(mine.extent)(
      &number_of_type, extent, &state, &error);
  return error;
}

}  // namespace baton::fortran
