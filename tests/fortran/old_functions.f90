! Functions that MPI calls, in the older forms' conventions.
subroutine add(in, inout, len, datatype)
  use mpi, only : MPI_INTEGER
  implicit none
  integer :: len, datatype, in(len), inout(len)
  if (datatype /= MPI_INTEGER) error stop "the type is another"
  inout = in + inout + 10
end subroutine

subroutine copy_small(comm, keyval, extra_state, value_in, value_out, flag, error)
  implicit none
  integer :: comm, keyval, extra_state, value_in, value_out, error, copied, deleted, called
  logical :: flag
  common /seen/ copied, deleted, called
  copied = copied + 1
  value_out = value_in + extra_state
  flag = comm /= 0 .and. keyval /= 0
  error = 0
end subroutine

subroutine delete_small(comm, keyval, value, extra_state, error)
  implicit none
  integer :: comm, keyval, value, extra_state, error, copied, deleted, called
  common /seen/ copied, deleted, called
  deleted = deleted + 1
  error = merge(0, 16, extra_state == 31 .and. comm /= 0 .and. keyval /= 0 .and. (value == -5 .or. value == 26))
end subroutine

subroutine on_error(comm, code)
  implicit none
  integer :: comm, code, copied, deleted, called
  common /seen/ copied, deleted, called
  if (comm /= 0 .and. code /= 0) called = called + 1
end subroutine
