program survivors_f08
  use mpi_f08
  use mpi_f08_ext
  implicit none
  type(MPI_Comm) :: copy, left, shrunk(3)
  type(MPI_Group) :: all, dead
  type(MPI_Request) :: request
  type(MPI_Win) :: win
  type(MPI_File) :: file
  integer :: other_flag  ! as in Open MPI
  include "survivors.inc"
end program
