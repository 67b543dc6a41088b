! The bursts of tests/message/budget_program.c in mpi_f08.
subroutine send_burst() bind(C)
  use mpi_f08
  implicit none
  real(8) :: data
  integer :: i
  data = 1
  do i = 1, 32
    call MPI_Send(data, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD)
  end do
end subroutine

subroutine receive_burst() bind(C)
  use mpi_f08
  implicit none
  real(8) :: data
  integer :: i
  do i = 1, 32
    call MPI_Recv(data, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end do
end subroutine
