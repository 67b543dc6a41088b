! Waves in a basin, as shallow_water.c has them, in Fortran 2008: the same water to the last bit, if the compiler is told
! not to take other exponentials for vectors: mpifort -O2 -fwrapv -fno-tree-vectorize shallow_water.f90.
!
! The basin is cut into equal blocks, one a rank. Every step each rank exchanges the cells at its four edges with its
! neighbors, agrees with all on the time step (allreduce) and moves its cells on (two-step Lax-Wendroff). An edge of a
! block is an array section, now(:, 1, 1:height): MPI takes it as it is, so there is no datatype and no copy.
module basins
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only : int64, real64, error_unit
  implicit none
  real(real64), parameter :: gravity = 9.81_real64, cell_meters = 10, depth_meters = 10
  real(real64), parameter :: courant = 0.4_real64            ! share of the largest stable time step
  real(real64), parameter :: volume_tolerance = 1e-10_real64 ! relative

  type :: basin
    integer :: rank, ranks
    integer :: columns, rows                  ! of blocks
    integer :: column, row                    ! of my block, from 0
    integer :: width, height                  ! of a block in cells, without its frame of neighbors' cells
    type(MPI_Comm) :: my_row, my_column       ! left and right neighbors, upper and lower ones
    ! Of each cell its depth, and depth times velocity across and down; half-step states on the cells' faces.
    real(real64), allocatable :: now(:, :, :), next(:, :, :), across(:, :, :), down(:, :, :)
  end type

contains

  subroutine stop_all(why)
    character(len=*), intent(in) :: why
    write (error_unit, "(2a)") "shallow_water: ", why
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  ! Still water with three humps.
  real(real64) function first_depth(x, y)
    real(real64), intent(in) :: x, y
    real(real64), parameter :: hump(4, 3) = reshape([0.3_real64, 0.35_real64, 0.05_real64, 4.0_real64, &
      0.7_real64, 0.6_real64, 0.04_real64, 3.0_real64, 0.45_real64, 0.8_real64, 0.03_real64, 2.5_real64], [4, 3])
    real(real64) :: dx, dy
    integer :: i
    first_depth = depth_meters
    do i = 1, 3
      dx = x - hump(1, i)
      dy = y - hump(2, i)
      first_depth = first_depth + hump(4, i) * exp(-(dx * dx + dy * dy) / (2 * hump(3, i) * hump(3, i)))
    end do
  end function

  ! Blocks as square as the number of ranks allows.
  subroutine divide(b, cells)
    type(basin), intent(inout) :: b
    integer, intent(in) :: cells
    integer :: rows
    rows = 1
    do while (rows * rows <= b%ranks)
      if (mod(b%ranks, rows) == 0) b%rows = rows
      rows = rows + 1
    end do
    b%columns = b%ranks / b%rows
    b%column = mod(b%rank, b%columns)
    b%row = b%rank / b%columns
    b%width = (cells + b%columns - 1) / b%columns
    b%height = (cells + b%rows - 1) / b%rows
    call MPI_Comm_split(MPI_COMM_WORLD, b%row, b%column, b%my_row)
    call MPI_Comm_split(MPI_COMM_WORLD, b%column, b%row, b%my_column)
  end subroutine

  subroutine fill(b)
    type(basin), intent(inout) :: b
    integer :: x, y
    allocate (b%now(3, 0:b%width+1, 0:b%height+1), source=0.0_real64)
    allocate (b%next, b%across, b%down, source=b%now)
    do y = 1, b%height
      do x = 1, b%width
        b%now(1, x, y) = first_depth((b%column * b%width + x - 0.5_real64) / (b%columns * b%width), &
                                     (b%row * b%height + y - 0.5_real64) / (b%rows * b%height))
      end do
    end do
  end subroutine

  integer function neighbor(mine, step, count)
    integer, intent(in) :: mine, step, count
    neighbor = mine + step
    if (neighbor < 0 .or. neighbor >= count) neighbor = MPI_PROC_NULL
  end function

  ! Neighbors' edges into my frame. A wall mirrors the water in front of it.
  subroutine exchange(b)
    type(basin), intent(inout), asynchronous :: b
    integer, parameter :: to_left = 0, to_right = 1, to_up = 2, to_down = 3
    real(real64), parameter :: mirror_across(3) = [1, -1, 1], mirror_down(3) = [1, 1, -1]
    integer :: left, right, up, down, w, h, y, x
    type(MPI_Request) :: requests(8)
    w = b%width
    h = b%height
    left = neighbor(b%column, -1, b%columns)
    right = neighbor(b%column, +1, b%columns)
    up = neighbor(b%row, -1, b%rows)
    down = neighbor(b%row, +1, b%rows)
    call MPI_Irecv(b%now(:, 0, 1:h), 3 * h, MPI_DOUBLE_PRECISION, left, to_right, b%my_row, requests(1))
    call MPI_Irecv(b%now(:, w + 1, 1:h), 3 * h, MPI_DOUBLE_PRECISION, right, to_left, b%my_row, requests(2))
    call MPI_Irecv(b%now(:, 1:w, 0), 3 * w, MPI_DOUBLE_PRECISION, up, to_down, b%my_column, requests(3))
    call MPI_Irecv(b%now(:, 1:w, h + 1), 3 * w, MPI_DOUBLE_PRECISION, down, to_up, b%my_column, requests(4))
    call MPI_Isend(b%now(:, 1, 1:h), 3 * h, MPI_DOUBLE_PRECISION, left, to_left, b%my_row, requests(5))
    call MPI_Isend(b%now(:, w, 1:h), 3 * h, MPI_DOUBLE_PRECISION, right, to_right, b%my_row, requests(6))
    call MPI_Isend(b%now(:, 1:w, 1), 3 * w, MPI_DOUBLE_PRECISION, up, to_up, b%my_column, requests(7))
    call MPI_Isend(b%now(:, 1:w, h), 3 * w, MPI_DOUBLE_PRECISION, down, to_down, b%my_column, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
    do y = 1, h
      if (left == MPI_PROC_NULL) b%now(:, 0, y) = mirror_across * b%now(:, 1, y)
      if (right == MPI_PROC_NULL) b%now(:, w + 1, y) = mirror_across * b%now(:, w, y)
    end do
    do x = 1, w
      if (up == MPI_PROC_NULL) b%now(:, x, 0) = mirror_down * b%now(:, x, 1)
      if (down == MPI_PROC_NULL) b%now(:, x, h + 1) = mirror_down * b%now(:, x, h)
    end do
  end subroutine

  pure function flux_across(c) result(flux)
    real(real64), intent(in) :: c(3)
    real(real64) :: flux(3), u
    u = c(2) / c(1)
    flux = [c(2), c(2) * u + 0.5_real64 * gravity * c(1) * c(1), c(3) * u]
  end function

  pure function flux_down(c) result(flux)
    real(real64), intent(in) :: c(3)
    real(real64) :: flux(3), v
    v = c(3) / c(1)
    flux = [c(3), c(2) * v, c(3) * v + 0.5_real64 * gravity * c(1) * c(1)]
  end function

  subroutine advance(b, seconds)
    type(basin), intent(inout) :: b
    real(real64), intent(in) :: seconds
    real(real64) :: k, half(3), once(3)
    integer :: x, y
    k = seconds / cell_meters
    do y = 1, b%height
      do x = 0, b%width
        half = 0.5_real64 * (b%now(:, x, y) + b%now(:, x + 1, y)) - &
               (0.5_real64 * k) * (flux_across(b%now(:, x + 1, y)) - flux_across(b%now(:, x, y)))
        b%across(:, x, y) = flux_across(half)
      end do
    end do
    do y = 0, b%height
      do x = 1, b%width
        half = 0.5_real64 * (b%now(:, x, y) + b%now(:, x, y + 1)) - &
               (0.5_real64 * k) * (flux_down(b%now(:, x, y + 1)) - flux_down(b%now(:, x, y)))
        b%down(:, x, y) = flux_down(half)
      end do
    end do
    do y = 1, b%height
      do x = 1, b%width
        once = b%now(:, x, y) - k * (b%across(:, x, y) - b%across(:, x - 1, y))
        b%next(:, x, y) = once - k * (b%down(:, x, y) - b%down(:, x, y - 1))
      end do
    end do
    call swap(b%now, b%next)
  end subroutine

  subroutine swap(a, b)
    real(real64), allocatable, intent(inout) :: a(:, :, :), b(:, :, :)
    real(real64), allocatable :: old(:, :, :)
    call move_alloc(a, old)
    call move_alloc(b, a)
    call move_alloc(old, b)
  end subroutine

  ! The largest time step at which no wave crosses more than `courant` cells, the same on all ranks.
  real(real64) function time_step(b)
    type(basin), intent(in) :: b
    real(real64) :: mine, fastest
    integer :: x, y
    mine = 0
    do y = 1, b%height
      do x = 1, b%width
        if (.not. b%now(1, x, y) > 0) call stop_all("the water has run dry or the numbers have run wild")
        mine = max(mine, max(abs(b%now(2, x, y)), abs(b%now(3, x, y))) / b%now(1, x, y) + sqrt(gravity * b%now(1, x, y)))
      end do
    end do
    call MPI_Allreduce(mine, fastest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    time_step = courant * cell_meters / fastest
  end function

  ! The water in the basin in cubic metres; on rank 0.
  real(real64) function volume(b)
    type(basin), intent(in) :: b
    real(real64) :: mine, all_water
    integer :: x, y
    mine = 0
    all_water = 0
    do y = 1, b%height
      do x = 1, b%width
        mine = mine + b%now(1, x, y)
      end do
    end do
    call MPI_Reduce(mine, all_water, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    volume = all_water * cell_meters * cell_meters
  end function

  ! A number that depends on every bit of every cell but not on who holds it; on rank 0. Products and sums are modulo
  ! 2**64 (-fwrapv).
  integer(int64) function fingerprint(b)
    type(basin), intent(in) :: b
    integer(int64) :: mine, place, bits
    integer :: x, y
    mine = 0
    fingerprint = 0
    do y = 1, b%height
      do x = 1, b%width
        place = int(b%row * b%height + y, int64) * 1000003_int64 + int(b%column * b%width + x, int64)
        bits = ieor(transfer(b%now(1, x, y), bits), place * (-7046029254386353131_int64)) * (-4658895280553007687_int64)
        mine = mine + ieor(bits, shiftr(bits, 29))
      end do
    end do
    call MPI_Reduce(mine, fingerprint, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD)
  end function

  ! False when water was lost.
  logical function simulate(b, steps)
    type(basin), intent(inout) :: b
    integer, intent(in) :: steps
    real(real64) :: before, water, lost, start, took, simulated, seconds
    integer(int64) :: print
    integer :: step
    before = volume(b)
    start = MPI_Wtime()
    simulated = 0
    lost = 0
    do step = 1, steps
      seconds = time_step(b)
      call exchange(b)
      call advance(b, seconds)
      simulated = simulated + seconds
      if (mod(step, max(steps / 10, 1)) /= 0 .and. step /= steps) cycle
      water = volume(b)
      if (b%rank == 0) then
        lost = abs(water - before) / before
        write (*, "('step ', i0, ' of ', i0, ', volume off by ', es7.1e2, ', ', f0.3, ' ms a step')") step, steps, lost, &
          (MPI_Wtime() - start) / step * 1000
      end if
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    took = MPI_Wtime() - start
    print = fingerprint(b)
    simulate = lost <= volume_tolerance
    if (b%rank == 0) then
      write (*, "(i0, ' ranks as ', i0, ' x ', i0, ' blocks of ', i0, ' x ', i0, ' cells, ', f0.0, ' s of waves in ', f0.2, &
        &' s')") b%ranks, b%columns, b%rows, b%width, b%height, simulated, took
      write (*, "('fingerprint: ', z16.16)") print
      write (*, "('volume: ', a)") trim(merge("conserved    ", "NOT conserved", simulate))
    end if
    call MPI_Bcast(simulate, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
  end function

  ! Rank 0 reads the command line; all learn it. False for what is not understood.
  logical function read_wishes(rank, wishes)
    integer, intent(in) :: rank
    integer, intent(out) :: wishes(2) ! cells across the basin, steps
    character(len=32) :: word, value
    integer :: i, failed
    wishes = [600, 800]
    read_wishes = .true.
    if (rank == 0) then
      do i = 1, command_argument_count(), 2
        call get_command_argument(i, word)
        call get_command_argument(i + 1, value)
        failed = 1
        if (word == "--cells") read (value, *, iostat=failed) wishes(1)
        if (word == "--steps") read (value, *, iostat=failed) wishes(2)
        if (failed /= 0 .or. wishes(1) < 2 .or. wishes(1) > 20000 .or. wishes(2) < 1) read_wishes = .false.
      end do
      if (.not. read_wishes) &
        write (error_unit, "(a)") "usage: mpiexec -n RANKS shallow_water_f08 [--cells ACROSS (600)] [--steps N (800)]"
    end if
    call MPI_Bcast(read_wishes, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
    call MPI_Bcast(wishes, 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  end function
end module

program shallow_water
  use basins
  implicit none
  type(basin) :: b
  integer :: wishes(2), code
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, b%rank)
  call MPI_Comm_size(MPI_COMM_WORLD, b%ranks)
  code = 2
  if (read_wishes(b%rank, wishes)) then
    call divide(b, wishes(1))
    call fill(b)
    code = merge(0, 1, simulate(b, wishes(2)))
    call MPI_Comm_free(b%my_row)
    call MPI_Comm_free(b%my_column)
  end if
  call MPI_Finalize()
  if (code /= 0) stop code
end program
