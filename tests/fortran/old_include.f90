program old_include
  implicit none
  include 'mpif.h'
  include "old_forms.inc"
end program
