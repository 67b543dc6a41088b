// These procedures describe the ABI. They work before MPI_Init.
#include <cstring>

#include "api/environment.hpp"
#include "world/info.hpp"

namespace baton::api {

namespace {

struct Fact {
  const char* key;
  const char* value;
};

static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8);
constexpr Fact abi_facts[] = {
    {"mpi_aint_size", "8"},
    {"mpi_count_size", "8"},
    {"mpi_offset_size", "8"},
};

// These are the default kinds of the Fortran compilers on Linux, and the optional types that have a
// datatype.
constexpr Fact fortran_facts[] = {
    {"mpi_logical_size", "4"},
    {"mpi_integer_size", "4"},
    {"mpi_real_size", "4"},
    {"mpi_double_precision_size", "8"},
    {"mpi_logical1_supported", "true"},
    {"mpi_logical2_supported", "true"},
    {"mpi_logical4_supported", "true"},
    {"mpi_logical8_supported", "true"},
    {"mpi_logical16_supported", "true"},
    {"mpi_integer1_supported", "true"},
    {"mpi_integer2_supported", "true"},
    {"mpi_integer4_supported", "true"},
    {"mpi_integer8_supported", "true"},
    {"mpi_integer16_supported", "true"},
    {"mpi_real2_supported", "true"},
    {"mpi_real4_supported", "true"},
    {"mpi_real8_supported", "true"},
    {"mpi_real16_supported", "true"},
    {"mpi_complex4_supported", "true"},
    {"mpi_complex8_supported", "true"},
    {"mpi_complex16_supported", "true"},
    {"mpi_complex32_supported", "true"},
    {"mpi_double_complex_supported", "true"},
};

template <std::size_t count>
Error make_info(const Fact (&facts)[count], MPI_Info* info) {
  Info* made = nullptr;
  if (Error rc = create_info(&made)) return rc;
  for (const Fact& fact : facts) {
    if (Error rc = made->set(fact.key, fact.value)) {
      free_info(*made);
      return rc;
    }
  }
  *info = made->handle;
  return MPI_SUCCESS;
}

bool is_logical_size(int size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

// Writes a Fortran logical: .TRUE. is 1 and .FALSE. is 0 in a little-endian integer of any size, as
// the reductions on logicals expect.
void write_logical(void* to, int size, bool value) {
  std::memset(to, 0, static_cast<std::size_t>(size));
  static_cast<unsigned char*>(to)[0] = value;
}

Error bad_size(int size) {
  return fail(MPI_ERR_ARG, "argument 1 (logical_size) is %d; LOGICALs have 1, 2, 4, 8 or 16 bytes",
              size);
}

}  // namespace

Error abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

Error abi_get_info(MPI_Info* info) {
  return make_info(abi_facts, info);
}

Error abi_get_fortran_info(MPI_Info* info) {
  return make_info(fortran_facts, info);
}

Error abi_set_fortran_info(MPI_Info info) {
  const Info* wanted = infos.find(info);
  if (!wanted) return fail(MPI_ERR_INFO, "argument 1 (info) is no live info object");
  for (const Fact& fact : fortran_facts) {
    char value[MPI_MAX_INFO_VAL];
    if (wanted->get(fact.key, value, sizeof value) && std::strcmp(value, fact.value) != 0)
      return fail(MPI_ERR_ABI, "argument 1 (info): %s is %s in this library and cannot be %s",
                  fact.key, fact.value, value);
  }
  return MPI_SUCCESS;
}

Error abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false,
                               int* is_set) {
  if (!is_logical_size(logical_size)) return bad_size(logical_size);
  write_logical(logical_true, logical_size, true);
  write_logical(logical_false, logical_size, false);
  *is_set = 1;
  return MPI_SUCCESS;
}

Error abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  if (!is_logical_size(logical_size)) return bad_size(logical_size);
  unsigned char expected[16];
  std::size_t bytes = static_cast<std::size_t>(logical_size);
  write_logical(expected, logical_size, true);
  bool same = std::memcmp(logical_true, expected, bytes) == 0;
  write_logical(expected, logical_size, false);
  same = same && std::memcmp(logical_false, expected, bytes) == 0;
  if (!same) return fail(MPI_ERR_ABI, "this library's .TRUE. is 1 and .FALSE. is 0");
  return MPI_SUCCESS;
}

}  // namespace baton::api
