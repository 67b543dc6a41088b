program old_module
  use mpi
  implicit none
  include "old_forms.inc"
end program
