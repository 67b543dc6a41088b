! A procedure that another MPI library does not have.
program absent
  use mpi_f08
  use mpi_f08_ext
  implicit none
  integer :: error, class, length
  character(len=MPI_MAX_ERROR_STRING) :: text

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPIX_File_revoke(MPI_FILE_NULL, error)
  call MPI_Error_class(error, class)
  call MPI_Error_string(error, text, length)
  if (class == MPI_ERR_UNSUPPORTED_OPERATION .and. index(text, "MPIX_File_revoke") > 0 .and. index(text, "Baton has it") > 0) &
    print '(a)', "what is absent is told"
  call MPI_Finalize()
end program
