// Fortran procedures that call no C procedure.
#include "convert.hpp"

namespace baton::fortran {

#define BATON_EQUALITY(kind)                                        \
  FORTRAN Fint mpi_##kind##_eq_f08_(const Fint* a, const Fint* b) { \
    return *a == *b;                                                \
  }                                                                 \
  FORTRAN Fint mpi_##kind##_ne_f08_(const Fint* a, const Fint* b) { \
    return *a != *b;                                                \
  }
BATON_EQUALITY(comm)
BATON_EQUALITY(datatype)
BATON_EQUALITY(errhandler)
BATON_EQUALITY(file)
BATON_EQUALITY(group)
BATON_EQUALITY(info)
BATON_EQUALITY(message)
BATON_EQUALITY(op)
BATON_EQUALITY(request)
BATON_EQUALITY(session)
BATON_EQUALITY(win)
#undef BATON_EQUALITY

// Bytes of one element.
FORTRAN void MPI_Sizeof_f08ts(const Descriptor* x, Fint* size, Fint* ierror) {
  *size = static_cast<Fint>(x->elem_len);
  tell(ierror, MPI_SUCCESS);
}
FORTRAN void PMPI_Sizeof_f08ts(const Descriptor* x, Fint* size, Fint* ierror) {
  MPI_Sizeof_f08ts(x, size, ierror);
}

// That they are called is what they do: the compiler must have the buffer in memory.
FORTRAN void MPI_F_sync_reg_f08ts(Descriptor*) {}
FORTRAN void PMPI_F_sync_reg_f08ts(Descriptor*) {}
FORTRAN void mpi_f_sync_reg_(void*) {}
FORTRAN void pmpi_f_sync_reg_(void*) {}

}  // namespace baton::fortran
