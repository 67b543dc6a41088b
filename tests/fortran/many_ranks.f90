! What is sized by ranks: datatypes for each rank, blocks for each rank, communicators' handles.
program many_ranks
  use mpi_f08
  implicit none
  integer :: rank, ranks, i
  integer, allocatable :: a(:), b(:), counts(:), places(:)
  type(MPI_Datatype), allocatable :: types(:)
  type(MPI_Comm) :: half
  type(MPI_Request) :: r
  integer :: grid(4, 6)
  logical :: right

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate(a(ranks), b(ranks), counts(ranks), places(ranks), types(ranks))
  right = .true.
  a = [(rank * ranks + i, i = 1, ranks)]
  counts = 1; places = [(4 * (i - 1), i = 1, ranks)]; types = MPI_INTEGER
  call MPI_Alltoallw(a, counts, places, types, b, counts, places, types, MPI_COMM_WORLD)
  right = right .and. all(b == [((i - 1) * ranks + rank + 1, i = 1, ranks)])
  b = 0
  call MPI_Ialltoallw(a, counts, places, types, b, counts, places, types, MPI_COMM_WORLD, r)
  call MPI_Wait(r, MPI_STATUS_IGNORE)
  right = right .and. all(b == [((i - 1) * ranks + rank + 1, i = 1, ranks)])
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  grid = rank
  call MPI_Sendrecv(grid(1:4:3, 1:6:2), 6, MPI_INTEGER, mod(rank + 1, ranks), 0, grid(2:3, 2:6:2), 6, MPI_INTEGER, &
                    mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  right = right .and. all(grid(2:3, 2:6:2) == mod(rank + ranks - 1, ranks)) .and. all(grid(1:4:3, :) == rank)
  call MPI_Allgather(grid(2, 1), 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD)
  right = right .and. all(b == [(i, i = 0, ranks - 1)])
  call MPI_Allreduce(MPI_IN_PLACE, a, ranks, MPI_INTEGER, MPI_MAX, half)
  right = right .and. all(a == [((ranks - 1 - mod(ranks - 1 + rank, 2)) * ranks + i, i = 1, ranks)])
  call MPI_Comm_free(half)
  if (right) print '(a)', 'all ranks are right'
  call MPI_Finalize
end program many_ranks
