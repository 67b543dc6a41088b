program survivors_include
  implicit none
  include "mpif.h"
  include "mpif-ext.h"
  integer :: copy, left, shrunk(3), all, dead, request, win, file
  logical :: other_flag
  include "survivors.inc"
end program
