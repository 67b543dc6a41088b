! Array sections of every kind as buffers of mpi_f08: each must arrive as the same elements in a contiguous array do.
! Run with 2 ranks: the second has the elements' copy.
program sections
  use mpi_f08
  implicit none
  integer :: failed = 0, i, j, k, n, rank, ranks, error, code_class
  integer :: cube(10, 10, 4), got(1000), numbers(200), lengths(8), places(8)
  integer :: seven(3, 2, 2, 2, 2, 2, 2)
  character(len=3) :: words(10), some_words(5)
  type(MPI_Request) :: request, requests(2)
  type(MPI_Status) :: status
  type(MPI_Datatype) :: three
  type :: pair
    integer :: x
    real(8) :: y
    complex :: z
  end type
  type(pair) :: pairs(20)
  real(8) :: ys(20)
  real :: halves(40)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  forall (i = 1:10, j = 1:10, k = 1:4) cube(i, j, k) = i + 100 * j + 10000 * k
  call try(cube(1:10:2, 1:9:3, 1:4:2), "steps in three dimensions")
  call try(cube(10:1:-1, 1:1, 1:1), "backwards")
  call try(cube(10:2:-3, 9:1:-4, 4:1:-1), "backwards in three dimensions")
  call try(cube(5:5, 1:10, 2:3), "one row")
  call try(cube(:, 3:7, :), "whole columns with gaps")
  call try(cube(:, :, :), "all of it")
  call try(cube(2:1, :, :), "nothing")
  call persistent()
  call loop()

  ! Rank 7.
  seven = reshape([(i, i = 1, 192)], shape(seven))
  call MPI_Isend(seven(1:3:2, :, 1:1, :, 2:1:-1, :, 1:2), 64, MPI_INTEGER, 0, 7, MPI_COMM_SELF, request)
  call MPI_Recv(got, 64, MPI_INTEGER, 0, 7, MPI_COMM_SELF, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(got(1:64) == reshape(seven(1:3:2, :, 1:1, :, 2:1:-1, :, 1:2), [64])), "seven dimensions")

  ! Components, characters, parts of an element, datatypes of several elements.
  do i = 1, 20
    pairs(i) = pair(i, i * 1.5d0, cmplx(i, -i))
  end do
  call MPI_Isend(pairs%y, 20, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_SELF, request)
  call MPI_Recv(ys, 20, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_SELF, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(ys == [(i * 1.5d0, i = 1, 20)]), "components")
  call MPI_Isend(pairs(2:20:3)%z, 13, MPI_REAL, 0, 3, MPI_COMM_SELF, request)
  call MPI_Recv(halves, 40, MPI_REAL, 0, 3, MPI_COMM_SELF, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Get_count(status, MPI_REAL, n)
  call check(n == 13 .and. all(halves(1:13:2) == [(real(i), i = 2, 20, 3)]) .and. &
             all(halves(2:12:2) == [(-real(i), i = 2, 17, 3)]), "half an element at the end")
  words = [(repeat(achar(96 + i), 3), i = 1, 10)]
  call MPI_Isend(words(2:10:2), 15, MPI_CHARACTER, 0, 4, MPI_COMM_SELF, request)
  call MPI_Recv(some_words, 15, MPI_CHARACTER, 0, 4, MPI_COMM_SELF, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(some_words == words(2:10:2)), "words")
  call MPI_Type_contiguous(3, MPI_INTEGER, three)
  call MPI_Type_commit(three)
  call MPI_Isend(cube(1:10:2, 1:9:3, 1), 5, three, 0, 5, MPI_COMM_SELF, request)
  call MPI_Recv(got, 15, MPI_INTEGER, 0, 5, MPI_COMM_SELF, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(got(1:15) == reshape(cube(1:10:2, 1:9:3, 1), [15])), "a datatype of three elements")
  call MPI_Type_free(three)

  ! Blocks of several ranks.
  numbers = -1
  call MPI_Allgather(cube(1:10:3, 1, 1), 4, MPI_INTEGER, numbers(1:200:3), 4, MPI_INTEGER, MPI_COMM_WORLD)
  call check(all(numbers(1:4*3*ranks:3) == [((1 + 3 * i + 100 + 10000, i = 0, 3), j = 1, ranks)]) .and. &
             count(numbers /= -1) == 4 * ranks, "gathered with steps")
  cube(1:7:2, 1:2*ranks, 1) = rank
  call MPI_Alltoall(cube(1:7:2, 1:2*ranks, 1), 8, MPI_INTEGER, got, 8, MPI_INTEGER, MPI_COMM_WORLD)
  call check(all(got(1:8*ranks) == [((i, j = 1, 8), i = 0, ranks - 1)]), "blocks of two columns")

  ! Arrays of counts: displacements count the section's elements. Rank r has r + 2 elements, the last rank's come first.
  lengths(1:ranks) = [(i + 1, i = 1, ranks)]
  places(1:ranks) = [((ranks - i) * (ranks + 2), i = 1, ranks)]
  cube(:, :, 2) = 1000 * (rank + 1) + reshape([(i, i = 1, 100)], [10, 10])
  numbers = -1
  call MPI_Iallgatherv(cube(3, 1:rank + 2, 2), rank + 2, MPI_INTEGER, numbers(200:1:-5), lengths, places, MPI_INTEGER, &
                       MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check_gathered("numbers of different lengths, gathered backwards")
  numbers(200:1:-5) = [(i, i = 0, 39)]
  cube(:, :, 3) = -1
  call MPI_Scatterv(numbers(200:1:-5), lengths, places, MPI_INTEGER, cube(2, 10:1:-1, 3), rank + 2, MPI_INTEGER, 0, &
                    MPI_COMM_WORLD)
  call check(all(cube(2, 10:9 - rank:-1, 3) == [(places(rank + 1) + i, i = 0, rank + 1)]) .and. &
             count(cube(:, :, 3) /= -1) == rank + 2, "scattered into a row backwards")
  numbers = -1
  call MPI_Alltoallv(cube(3, 1:10, 2), [(rank + 2, i = 1, ranks)], [(0, i = 1, ranks)], MPI_INTEGER, numbers(200:1:-5), &
                     lengths, places, MPI_INTEGER, MPI_COMM_WORLD)
  call check_gathered("to all, from one row")

  ! What cannot be told in a datatype is refused with its reason.
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Allreduce(cube(1:10:2, 1, 1), numbers, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call refused(error, "sendbuf is an array section", "a reduction")
  call MPI_Alltoall(cube(1:7:2, 1:ranks, 1), 3, MPI_INTEGER, got, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
  call refused(error, "sendbuf is an array section whose blocks", "blocks that are no columns")
  call MPI_Gatherv(numbers, 1, MPI_INTEGER, cube(1:9:3, 1:2, 1), lengths, places, MPI_INTEGER, 0, MPI_COMM_SELF, error)
  call refused(error, "recvbuf is an array section for an array of counts", "counts of a section of two strides")
  call MPI_Send(cube(1:10:2, 1, 1), 2, MPI_DOUBLE_INT, 0, 0, MPI_COMM_SELF, error)
  call refused(error, "buf is an array section, and the datatype's elements are not the array's", "another type")

  if (failed == 0) print "(a)", "all sections are right"
  call MPI_Finalize()

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print "(a, i0, 2a)", "rank ", rank, ": wrong: ", what
    failed = failed + 1
  end subroutine

  subroutine check_gathered(what)
    character(len=*), intent(in) :: what
    logical :: right
    integer :: from, at
    right = count(numbers /= -1) == sum(lengths(1:ranks))
    do from = 0, ranks - 1
      at = 200 - 5 * places(from + 1)
      right = right .and. all(numbers(at:at - 5 * (from + 1):-5) == [(1000 * (from + 1) + 3 + 10 * i, i = 0, from + 1)])
    end do
    call check(right, what)
  end subroutine

  subroutine refused(error, text, what)
    integer, intent(in) :: error
    character(len=*), intent(in) :: text, what
    character(len=MPI_MAX_ERROR_STRING) :: said
    call MPI_Error_class(error, code_class)
    call MPI_Error_string(error, said, n)
    call check(code_class == MPI_ERR_BUFFER .and. index(said, text) > 0, what // ": " // trim(said))
  end subroutine

  ! The first elements of a section, as many as fit and fewer, both ways.
  subroutine try(section, what)
    integer, intent(inout) :: section(:, :, :)
    character(len=*), intent(in) :: what
    integer :: all_of_it, many, want(1000), kept(1000)
    all_of_it = size(section)
    want(1:all_of_it) = reshape(section, [all_of_it])
    do many = all_of_it, 0, -max(1, all_of_it / 9)
      got = 0
      call MPI_Isend(section, many, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request)
      call MPI_Recv(got, 1000, MPI_INTEGER, 0, 1, MPI_COMM_SELF, status)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call MPI_Get_count(status, MPI_INTEGER, n)
      call check(n == many .and. all(got(1:many) == want(1:many)), what // ", sent")
      kept(1:all_of_it) = want(1:all_of_it)
      kept(1:many) = 0
      section = 0
      call MPI_Irecv(section, many, MPI_INTEGER, 0, 2, MPI_COMM_SELF, request)
      call MPI_Send(want, int(many, MPI_COUNT_KIND), MPI_INTEGER, 0, 2, MPI_COMM_SELF)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      got(1:all_of_it) = reshape(section, [all_of_it])
      call check(all(got(1:many) == want(1:many)) .and. all(got(many+1:all_of_it) == 0), what // ", received")
      section = reshape(want, shape(section))
    end do
  end subroutine

  subroutine persistent()
    call MPI_Send_init(cube(1:10:3, 2:4, 1), 12, MPI_INTEGER, 0, 9, MPI_COMM_SELF, requests(1))
    call MPI_Recv_init(numbers(1:24:2), 12, MPI_INTEGER, 0, 9, MPI_COMM_SELF, requests(2))
    do i = 1, 3
      cube(1:10:3, 2:4, 1) = cube(1:10:3, 2:4, 1) + 1
      numbers = 0
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call check(all(numbers(1:24:2) == reshape(cube(1:10:3, 2:4, 1), [12])), "persistent")
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  ! More shapes than are kept, again and again, several in use at once.
  subroutine loop()
    type(MPI_Request) :: many(40)
    integer :: step, round, place
    integer :: line(400), into(40, 400)
    line = [(i, i = 1, 400)]
    do round = 1, 20
      do step = 2, 41
        call MPI_Irecv(into(step - 1, 1:round), round, MPI_INTEGER, 0, step, MPI_COMM_SELF, many(step - 1))
        place = 1 + (round - 1) * step
        if (place <= 400) then
          call MPI_Send(line(1:place:step), round, MPI_INTEGER, 0, step, MPI_COMM_SELF)
        else
          call MPI_Send(line, round, MPI_INTEGER, 0, step, MPI_COMM_SELF)
        end if
      end do
      call MPI_Waitall(40, many, MPI_STATUSES_IGNORE)
      do step = 2, 41
        if (1 + (round - 1) * step <= 400) &
          call check(all(into(step - 1, 1:round) == [(1 + (i - 1) * step, i = 1, round)]), "many shapes")
      end do
    end do
  end subroutine
end program
