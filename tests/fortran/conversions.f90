! Handles and statuses of Fortran as C code sees them (conversions.c), there and back.
program conversions
  use mpi_f08
  use, intrinsic :: iso_c_binding, only : c_int, c_bool
  implicit none
  interface
    function handles_are_the_same(comm, type, group, request, op, info, errhandler, window, message, session, file) &
        bind(c) result(same)
      import :: c_int
      integer(c_int), value :: comm, type, group, request, op, info, errhandler, window, message, session, file
      integer(c_int) :: same
    end function
    function status_is_the_same(status, source, tag) bind(c) result(same)
      import :: c_int, MPI_Status
      type(MPI_Status), intent(in) :: status
      integer(c_int), value :: source, tag
      integer(c_int) :: same
    end function
    function which_ignored_f08(status) bind(c) result(which)
      import :: c_int, MPI_Status
      type(MPI_Status) :: status
      integer(c_int) :: which
    end function
  end interface
  integer :: rank, sent(3) = [1, 2, 3], received(3)
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: column
  type(MPI_Group) :: group
  type(MPI_Request) :: request
  type(MPI_Op) :: op
  type(MPI_Info) :: info
  type(MPI_Errhandler) :: errhandler
  type(MPI_Win) :: window
  type(MPI_Session) :: session
  type(MPI_Status) :: status
  logical :: right
  procedure(MPI_User_function) :: add
  procedure(MPI_Comm_errhandler_function) :: handle

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Type_vector(3, 1, 2, MPI_REAL, column)
  call MPI_Comm_group(comm, group)
  call MPI_Op_create(add, .true., op)
  call MPI_Info_create(info)
  call MPI_Comm_create_errhandler(handle, errhandler)
  call MPI_Win_create(sent, 12_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, window)
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
  call MPI_Irecv(received, 3, MPI_INTEGER, rank, 7, comm, request)
  right = handles_are_the_same(comm%MPI_VAL, column%MPI_VAL, group%MPI_VAL, request%MPI_VAL, op%MPI_VAL, info%MPI_VAL, &
                               errhandler%MPI_VAL, window%MPI_VAL, MPI_MESSAGE_NO_PROC%MPI_VAL, session%MPI_VAL, &
                               MPI_FILE_NULL%MPI_VAL) == 1
  call MPI_Send(sent, 3, MPI_INTEGER, rank, 7, comm)
  call MPI_Wait(request, status)
  right = right .and. status_is_the_same(status, rank, 7) == 1
  right = right .and. which_ignored_f08(MPI_STATUS_IGNORE) == 1 .and. which_ignored_f08(MPI_STATUSES_IGNORE(1)) == 2
  right = right .and. which_ignored_f08(status) == 0
  call in_older_forms(right)
  call MPI_Session_finalize(session)
  call MPI_Win_free(window)
  call MPI_Errhandler_free(errhandler)
  call MPI_Info_free(info)
  call MPI_Op_free(op)
  call MPI_Group_free(group)
  call MPI_Type_free(column)
  call MPI_Comm_free(comm)
  call MPI_Finalize
  if (right) print '(a)', 'all conversions are right'
end program conversions

subroutine in_older_forms(right)
  use mpi
  implicit none
  logical, intent(inout) :: right
  integer :: status(MPI_STATUS_SIZE)
  integer, external :: which_ignored
  right = right .and. which_ignored(MPI_STATUS_IGNORE) == 1 .and. which_ignored(MPI_STATUSES_IGNORE) == 2
  status = 0
  right = right .and. which_ignored(status) == 0
end subroutine in_older_forms

subroutine add(invec, inoutvec, len, datatype)
  use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
  use mpi_f08
  implicit none
  type(c_ptr), value :: invec, inoutvec
  integer :: len
  type(MPI_Datatype) :: datatype
  integer, pointer :: in(:), inout(:)
  if (datatype /= MPI_INTEGER) return
  call c_f_pointer(invec, in, [len])
  call c_f_pointer(inoutvec, inout, [len])
  inout = inout + in
end subroutine add

subroutine handle(comm, error_code)
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  integer :: error_code
  if (comm /= MPI_COMM_NULL) error_code = MPI_SUCCESS
end subroutine handle
