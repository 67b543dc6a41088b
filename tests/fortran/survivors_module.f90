program survivors_module
  use mpi
  use mpi_ext
  implicit none
  integer :: copy, left, shrunk(3), all, dead, request, win, file
  logical :: other_flag
  include "survivors.inc"
end program
