! The bursts of tests/message/budget_program.c with mpif.h.
subroutine send_burst() bind(C)
  implicit none
  include 'mpif.h'
  real(8) :: data
  integer :: i, error
  data = 1
  do i = 1, 32
    call MPI_SEND(data, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD, error)
  end do
end subroutine

subroutine receive_burst() bind(C)
  implicit none
  include 'mpif.h'
  real(8) :: data
  integer :: i, error
  do i = 1, 32
    call MPI_RECV(data, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end do
end subroutine
