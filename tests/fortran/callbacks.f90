! Functions of Fortran that MPI calls, and attributes in both languages. Linked with attributes.c.
module functions
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: called = 0, copied = 0, deleted = 0, freed = 0, last_code = 0
  integer(MPI_ADDRESS_KIND) :: state_seen = 0, value_deleted = 0
contains
  ! Not commutative: two integers are a matrix's row of i -> a * i + b.
  subroutine compose(in, inout, len, datatype)
    type(c_ptr), value :: in, inout
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    integer :: i, bytes
    call MPI_Type_size(datatype, bytes)
    if (bytes /= 8) error stop "the type is another"
    call c_f_pointer(in, a, [2 * len])
    call c_f_pointer(inout, b, [2 * len])
    do i = 1, 2 * len, 2
      b(i + 1) = a(i + 1) * b(i) + b(i + 1)
      b(i) = a(i) * b(i)
    end do
  end subroutine

  subroutine largest(in, inout, len, datatype)
    type(c_ptr), value :: in, inout
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    real(8), pointer :: a(:), b(:)
    if (datatype /= MPI_DOUBLE_PRECISION) error stop "the type is another"
    call c_f_pointer(in, a, [len])
    call c_f_pointer(inout, b, [len])
    b = max(a, b)
  end subroutine

  subroutine on_comm(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm == MPI_COMM_NULL) error stop "no communicator"
    called = called + 1
    last_code = error_code
  end subroutine

  subroutine on_win(win, error_code)
    type(MPI_Win) :: win
    integer :: error_code
    if (win == MPI_WIN_NULL) error stop "no window"
    called = called + 1
    last_code = error_code
  end subroutine

  subroutine on_session(session, error_code)
    type(MPI_Session) :: session
    integer :: error_code
    if (session == MPI_SESSION_NULL) error stop "no session"
    called = called + 1
    last_code = error_code
  end subroutine

  subroutine copy_comm(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copied = copied + 1
    state_seen = extra_state
    attribute_val_out = attribute_val_in + 1
    flag = oldcomm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_comm(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deleted = deleted + 1
    value_deleted = attribute_val
    ierror = MPI_SUCCESS
    if (extra_state /= 4711_8 * 10000000000_8 .or. comm == MPI_COMM_NULL .or. comm_keyval == 0) ierror = MPI_ERR_OTHER
  end subroutine

  subroutine keep_all(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    ierror = MPI_ERR_OTHER
    if (comm == MPI_COMM_NULL .or. comm_keyval == 0 .or. attribute_val == 0 .or. extra_state == 0) ierror = MPI_ERR_ARG
  end subroutine

  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 12
    status%MPI_TAG = 34
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free_state(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    freed = freed + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete) freed = freed + 100 * int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
end module

program callbacks
  use functions
  implicit none
  interface
    subroutine set_in_c(comm, keyval, value) bind(C)
      import c_int
      integer(c_int), value :: comm, keyval, value
    end subroutine
    integer(c_int) function get_in_c(comm, keyval) bind(C)
      import c_int
      integer(c_int), value :: comm, keyval
    end function
    subroutine made_in_c(keyval) bind(C)
      import c_int
      integer(c_int), intent(out) :: keyval
    end subroutine
  end interface
  integer :: rank, ranks, failed = 0, i, error, keyval, other, n, from_c
  integer :: map(2), whole(2), plus, index, count, indices(3)
  integer(MPI_ADDRESS_KIND) :: value
  integer(MPI_ADDRESS_KIND), parameter :: large = 4711_8 * 10000000000_8
  real(8) :: number
  logical :: flag
  type(MPI_Op) :: op
  type(MPI_Comm) :: copy
  type(MPI_Datatype) :: pair, second
  type(MPI_Errhandler) :: handler
  type(MPI_Win) :: win
  type(MPI_Session) :: session
  type(MPI_Request) :: request, several(3)
  type(MPI_Status) :: status, statuses(3)
  integer :: area(4)

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, n)
  call check(n >= MPI_THREAD_SERIALIZED, "thread level")
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Operations.
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  call MPI_Op_create(compose, .false., op)
  map = [rank + 2, 3 * rank + 1]
  call MPI_Reduce(map, whole, 1, pair, op, 0, MPI_COMM_WORLD)
  if (rank == 0) then
    map = [1, 0]
    plus = 0
    do i = 0, ranks - 1
      plus = map(2) * (i + 2) + 3 * i + 1
      map = [map(1) * (i + 2), plus]
    end do
    call check(all(whole == map), "an operation that does not commute")
  end if
  call MPI_Op_free(op)
  call check(op == MPI_OP_NULL, "an operation freed")
  call MPI_Op_create_c(largest, .true., op)
  call MPI_Op_commutative(op, flag)
  call check(flag, "it commutes")
  number = rank
  call MPI_Allreduce(MPI_IN_PLACE, number, 1_MPI_COUNT_KIND, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD)
  call check(number == ranks - 1, "an operation of large counts")
  call MPI_Op_free(op)

  ! Error handlers.
  call MPI_Comm_create_errhandler(on_comm, handler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
  call MPI_Send(area, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, error)
  call MPI_Error_class(error, n)
  call check(called == 1 .and. n == MPI_ERR_RANK .and. last_code == error, "a communicator's error handler")
  call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER)
  call check(called == 2 .and. last_code == MPI_ERR_OTHER, "a communicator's error handler, called")
  call MPI_Errhandler_free(handler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  call MPI_Win_create(area, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_create_errhandler(on_win, handler)
  call MPI_Win_set_errhandler(win, handler)
  call MPI_Win_call_errhandler(win, MPI_ERR_OTHER)
  call check(called == 3, "a window's error handler")
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag)
  call check(flag .and. value == 16, "a window's size")
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag)
  call check(flag .and. value == 4, "a window's unit")
  call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag)
  call check(flag .and. value == loc(area), "a window's base")
  call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag)
  call check(flag .and. value == MPI_WIN_FLAVOR_CREATE, "a window's flavor")
  call MPI_Win_free(win)
  call MPI_Errhandler_free(handler)
  call MPI_Session_create_errhandler(on_session, handler)
  call MPI_Session_init(MPI_INFO_NULL, handler, session)
  call MPI_Session_call_errhandler(session, MPI_ERR_OTHER)
  call check(called == 4, "a session's error handler")
  call MPI_Session_finalize(session)
  call MPI_Errhandler_free(handler)

  ! Attributes.
  call MPI_Comm_create_keyval(copy_comm, delete_comm, keyval, large)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, large + 5)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag)
  call check(flag .and. value == large + 5, "an attribute")
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_get_attr(copy, keyval, value, flag)
  call check(copied == 1 .and. state_seen == large .and. flag .and. value == large + 6, "an attribute's copy")
  call MPI_Comm_free(copy)
  call check(deleted == 1 .and. value_deleted == large + 6, "a copy deleted")
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 7_MPI_ADDRESS_KIND)
  call check(deleted == 2 .and. value_deleted == large + 5, "an attribute replaced")
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
  call check(deleted == 3 .and. value_deleted == 7, "an attribute deleted")
  call MPI_Comm_free_keyval(keyval)
  call check(keyval == MPI_KEYVAL_INVALID, "a keyval freed")
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, keep_all, other, 1_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(MPI_COMM_SELF, copy)
  call MPI_Comm_set_attr(copy, keyval, 8_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(copy, other, 9_MPI_ADDRESS_KIND)
  call MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN)
  call MPI_Comm_delete_attr(copy, other, error)
  call check(error /= MPI_SUCCESS, "a function that refuses to delete")
  block
    type(MPI_Comm) :: again
    call MPI_Comm_dup(copy, again)
    call MPI_Comm_get_attr(again, keyval, value, flag)
    call check(flag .and. value == 8, "MPI_COMM_DUP_FN")
    call MPI_Comm_get_attr(again, other, value, flag)
    call check(.not. flag, "MPI_COMM_NULL_COPY_FN")
    call MPI_Comm_free(again)
  end block
  call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, i, 0_MPI_ADDRESS_KIND)
  call MPI_Type_set_attr(pair, i, large)
  call MPI_Type_dup(pair, second)
  call MPI_Type_get_attr(second, i, value, flag)
  call check(flag .and. value == large, "a datatype's attribute")
  call MPI_Type_free(second)
  call MPI_Type_free(pair)
  call MPI_Type_free_keyval(i)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
  call check(flag .and. value >= 32767, "the largest tag")
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, value, flag)
  call check(.not. flag .or. value >= ranks, "the universe's size")

  ! Set in one language, read in the other: a value in Fortran is the address of one in C, and an address
  ! in C is a value in Fortran.
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 815_MPI_ADDRESS_KIND)
  call check(get_in_c(MPI_COMM_WORLD%MPI_VAL, keyval) == 815, "set in Fortran, read in C")
  call made_in_c(from_c)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, from_c, 816_MPI_ADDRESS_KIND)
  call check(get_in_c(MPI_COMM_WORLD%MPI_VAL, from_c) == 816, "set in Fortran, read in C, whose keyval it is")
  call set_in_c(MPI_COMM_WORLD%MPI_VAL, keyval, 4242)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag)
  call check(flag .and. value == 4242, "set in C, read in Fortran")
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, from_c)
  call MPI_Comm_free_keyval(keyval)
  call MPI_Comm_free_keyval(from_c)

  ! Generalized requests.
  call MPI_Grequest_start(query, free_state, cancel, 3_MPI_ADDRESS_KIND, request)
  call MPI_Cancel(request)
  call check(freed == 300, "a generalized request canceled")
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  call check(freed == 303 .and. n == 3 .and. status%MPI_SOURCE == 12 .and. status%MPI_TAG == 34, &
             "a generalized request")

  ! Indices begin at 1.
  call MPI_Irecv(area(1), 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, several(1))
  call MPI_Irecv(area(2), 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, several(2))
  several(3) = MPI_REQUEST_NULL
  call MPI_Testany(3, several, index, flag, status)
  call check(.not. flag .and. index == MPI_UNDEFINED, "none of three")
  call MPI_Send(5, 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF)
  call MPI_Request_get_status_any(3, several, index, flag, status)
  call check(flag .and. index == 2, "the second of three, looked at")
  call MPI_Waitany(3, several, index, status)
  call check(index == 2 .and. several(2) == MPI_REQUEST_NULL .and. status%MPI_TAG == 2, "the second of three")
  call MPI_Send(6, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
  call MPI_Waitsome(3, several, count, indices, statuses)
  call check(count == 1 .and. indices(1) == 1 .and. statuses(1)%MPI_TAG == 1 .and. several(1) == MPI_REQUEST_NULL, &
             "some of three")
  call MPI_Testsome(3, several, count, indices, MPI_STATUSES_IGNORE)
  call check(count == MPI_UNDEFINED, "some of none")
  call MPI_Waitany(3, several, index, MPI_STATUS_IGNORE)
  call check(index == MPI_UNDEFINED .and. all(area(1:2) == [6, 5]), "any of none")

  if (failed == 0) print "(a)", "all callbacks are right"
  call MPI_Finalize()

contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print "(a, i0, 2a)", "rank ", rank, ": wrong: ", what
    failed = failed + 1
  end subroutine
end program
