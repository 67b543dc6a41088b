! Strings, addresses with a meaning, pointers, logicals, statuses, datatypes of the kinds of Fortran.
program values
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, failed = 0, i, n, error, length, major, minor
  integer :: counts(0:99), places(0:99), from(100), to(100), dims(2), coords(2), four(4), taken(2)
  integer(MPI_ADDRESS_KIND) :: where, extent, lb, displacements(2)
  integer(MPI_COUNT_KIND) :: many
  logical :: flag, periods(2), remain(2), yes, no
  real(8) :: reals(6), start
  character(len=20) :: short
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=MPI_MAX_OBJECT_NAME) :: object
  character(len=MPI_MAX_INFO_KEY) :: key
  character(len=MPI_MAX_ERROR_STRING) :: said
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  type(MPI_Info) :: info
  type(MPI_Comm) :: comm, line
  type(MPI_Datatype) :: types(0:99), made, contents(1)
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  type(MPI_Win) :: win
  type(MPI_Group) :: group, some
  type(c_ptr) :: pointer
  integer, pointer :: memory(:)
  integer :: f_status(MPI_STATUS_SIZE), integers(3)

  call MPI_Init(error)
  call check(error == MPI_SUCCESS, "init")
  start = MPI_Wtime()
  call check(MPI_Wtick() > 0 .and. MPI_Wtime() >= start, "time")
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Get_library_version(version, n)
  if (rank == 0) print "(2a)", "library: ", version(1:index(version, " ") + 5)
  call MPI_Abi_get_version(major, minor)
  call check(major == MPI_ABI_VERSION .and. minor >= 0, "ABI version")
  call MPI_Abi_get_fortran_booleans(4, yes, no, flag)
  call check(.not. flag .or. (yes .and. .not. no), "LOGICAL")
  call MPI_Abi_get_fortran_info(info)
  if (info /= MPI_INFO_NULL) then
    call MPI_Info_get(info, "mpi_integer_size", 5, short(1:5), flag)
    call check(.not. flag .or. short(1:5) == "4", "INTEGER")
    call MPI_Info_free(info)
  end if

  ! Strings.
  name = repeat("x", len(name))
  call MPI_Get_processor_name(name, n)
  call check(n > 0 .and. name(n:n) /= " " .and. name(n+1:) == " ", "processor name")
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_name(comm, "a name with spaces   ")
  object = repeat("x", len(object))
  call MPI_Comm_get_name(comm, object, n)
  call check(n == 18 .and. object == "a name with spaces", "object name")
  call MPI_Comm_get_name(MPI_COMM_WORLD, object, n)
  call check(object == "MPI_COMM_WORLD" .and. n == 14, "the world's name")
  call MPI_Type_get_name(MPI_DOUBLE_PRECISION, object, n)
  call check(object == "MPI_DOUBLE_PRECISION", "a datatype's name")
  call MPI_Info_create(info)
  call MPI_Info_set(info, "  key one  ", "  a value  ")
  short = repeat("x", 20)
  call MPI_Info_get(info, "key one", 20, short, flag)
  call check(flag .and. short == "a value", "info")
  length = 0
  call MPI_Info_get_string(info, "key one ", length, short, flag)
  call check(flag .and. length == 7, "info's length")
  length = 20
  short = repeat("x", 20)
  call MPI_Info_get_string(info, "key one ", length, short, flag)
  call check(flag .and. length == 7 .and. short == "a value", "info's string")
  short = repeat("x", 20)
  length = 3
  call MPI_Info_get_string(info, "key one ", length, short(1:3), flag)
  call check(flag .and. length == 7 .and. short(1:4) == "a vx", "info's string, cut")
  call MPI_Info_get(info, "none", 20, short, flag)
  call check(.not. flag, "no such key")
  key = repeat("x", len(key))
  call MPI_Info_get_nthkey(info, 0, key)
  call check(key == "key one", "the first key")
  call MPI_Info_free(info)
  call MPI_Error_string(MPI_ERR_RANK, said, n)
  call check(n > 0 .and. said(n+1:) == " ", "an error's text")
  call MPI_Pack_external_size("external32", 3, MPI_INTEGER, where)
  call check(where == 12, "external32")

  ! Addresses with a meaning.
  n = 1
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, comm, error)
  call check(n == ranks, "MPI_IN_PLACE")
  call MPI_Get_address(from, where)
  call MPI_Type_create_hindexed(1, [4], [where], MPI_INTEGER, made)
  call MPI_Type_commit(made)
  from = [(i, i = 1, 100)]
  call MPI_Isend(MPI_BOTTOM, 1, made, 0, 0, MPI_COMM_SELF, request)
  call MPI_Recv(four, 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(four == [1, 2, 3, 4]), "MPI_BOTTOM")
  call MPI_Type_free(made)
  call MPI_Dist_graph_create_adjacent(comm, 1, [mod(rank + ranks - 1, ranks)], MPI_UNWEIGHTED, 1, [mod(rank + 1, ranks)], &
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, .false., line)
  call MPI_Dist_graph_neighbors_count(line, i, n, flag)
  call check(i == 1 .and. n == 1 .and. .not. flag, "MPI_UNWEIGHTED")
  types(0) = MPI_INTEGER
  displacements = 0
  to = -1
  call MPI_Neighbor_alltoallw([rank], [1], displacements, types(0:0), to, [1], displacements, types(0:0), line)
  call check(to(1) == mod(rank + ranks - 1, ranks), "a datatype for each neighbor")
  call MPI_Comm_free(line)
  call MPI_Dist_graph_create_adjacent(comm, 0, taken, MPI_WEIGHTS_EMPTY, 0, taken, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., &
                                      line)
  call MPI_Dist_graph_neighbors_count(line, i, n, flag)
  call check(i == 0 .and. n == 0 .and. flag, "MPI_WEIGHTS_EMPTY")
  call MPI_Comm_free(line)
  counts(0:ranks-1) = 1
  places(0:ranks-1) = [(4 * i, i = 0, ranks - 1)]
  types(0:ranks-1) = MPI_INTEGER
  from(1:ranks) = [(100 * rank + i, i = 0, ranks - 1)]
  call MPI_Alltoallw(from, counts, places, types, to, counts, places, types, comm)
  call check(all(to(1:ranks) == [(100 * i + rank, i = 0, ranks - 1)]), "a datatype for each rank")
  to = 0
  call MPI_Ialltoallw(from, counts, places, types, to, counts, places, types, comm, request)
  types = MPI_DATATYPE_NULL
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(to(1:ranks) == [(100 * i + rank, i = 0, ranks - 1)]), "the same, nonblocking")
  types(0:ranks-1) = MPI_INTEGER
  call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types(0:-1), to, counts, places, types, comm)
  call check(all(to(1:ranks) == from(1:ranks)), "the same, in place")

  ! Logicals, topologies, groups.
  dims = 0
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(comm, 2, dims, [.true., .false.], .false., line)
  call MPI_Cart_get(line, 2, taken, periods, coords)
  call check(all(taken == dims) .and. periods(1) .and. .not. periods(2), "a grid")
  remain = [.false., .true.]
  block
    type(MPI_Comm) :: row
    call MPI_Cart_sub(line, remain, row)
    call MPI_Comm_size(row, n)
    call check(n == dims(2), "a row of the grid")
    call MPI_Comm_free(row)
  end block
  call MPI_Comm_free(line)
  call MPI_Comm_group(comm, group)
  call MPI_Group_range_incl(group, 1, reshape([0, ranks - 1, 2], [3, 1]), some)
  call MPI_Group_size(some, n)
  call check(n == (ranks + 1) / 2, "every second rank")
  call MPI_Group_free(some)
  call MPI_Group_free(group)

  ! Memory as pointers.
  call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer)
  call c_f_pointer(pointer, memory, [100])
  memory = 7
  call MPI_Free_mem(memory)
  call MPI_Win_allocate(400_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, pointer, win)
  call c_f_pointer(pointer, memory, [100])
  memory = -rank
  call MPI_Win_fence(0, win)
  call MPI_Put(from(1:9:2), 5, MPI_INTEGER, mod(rank + 1, ranks), 10_MPI_ADDRESS_KIND, 5, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  i = 100 * mod(rank + ranks - 1, ranks)
  call check(memory(11) == i .and. memory(10) == -rank, "a section put")
  call MPI_Win_free(win)
  allocate(memory(1000))
  call MPI_Buffer_attach(memory, 4000)
  call MPI_Bsend(rank, 1, MPI_INTEGER, 0, 5, MPI_COMM_SELF)
  call MPI_Recv(n, 1, MPI_INTEGER, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  call MPI_Buffer_detach(pointer, n)
  call check(n == 4000 .and. c_associated(pointer, c_loc(memory)), "a buffer detached")
  call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)
  call MPI_Bsend(rank, 1, MPI_INTEGER, 0, 5, MPI_COMM_SELF)
  call MPI_Recv(n, 1, MPI_INTEGER, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  call MPI_Buffer_detach(pointer, n)

  ! Statuses.
  call MPI_Isend(from, 3, MPI_INTEGER, 0, 8, MPI_COMM_SELF, request)
  call MPI_Recv(to, 10, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Get_count(status, MPI_INTEGER, many)
  call check(many == 3 .and. status%MPI_SOURCE == 0 .and. status%MPI_TAG == 8, "a status")
  call MPI_Status_f082f(status, f_status)
  status%MPI_TAG = 0
  call MPI_Status_f2f08(f_status, status)
  call check(f_status(2) == 8 .and. status%MPI_TAG == 8, "a status converted")

  ! Datatypes.
  call MPI_Type_create_f90_real(15, 307, made)
  call MPI_Type_size(made, n)
  call check(n == 8, "selected_real_kind(15, 307)")
  call MPI_Type_create_f90_integer(9, made)
  call MPI_Type_size(made, n)
  call check(n == 4, "selected_int_kind(9)")
  call MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, made)
  call check(made == MPI_DOUBLE_COMPLEX .or. made == MPI_COMPLEX16 .or. made == MPI_C_DOUBLE_COMPLEX, "a complex of 16 bytes")
  call MPI_Sizeof(reals, n)
  call check(n == 8, "MPI_Sizeof")
  call MPI_Type_vector(2, 1, 3, MPI_DOUBLE_PRECISION, made)
  call MPI_Type_get_extent(made, lb, extent)
  call check(lb == 0 .and. extent == 32, "an extent")
  call MPI_Type_get_contents(made, 3, 0, 1, integers, displacements, contents)
  call check(all(integers == [2, 1, 3]) .and. contents(1) == MPI_DOUBLE_PRECISION, "contents")
  call MPI_Type_free(made)
  call check(made == MPI_DATATYPE_NULL, "a datatype freed")

  call check(late() == 10, "a buffer read after the wait")
  call MPI_F_sync_reg(reals)
  call MPI_Pcontrol(1)
  call MPI_Comm_free(comm)
  call check(MPI_SUBARRAYS_SUPPORTED, "sections are supported")
  if (failed == 0) print "(a)", "all values are right"
  call MPI_Finalize(error)
  call check(error == MPI_SUCCESS, "finalize")

contains
  ! The compiler must not use for the second read what the first one found.
  integer function late()
    integer :: into(1), before
    into(1) = 1
    call MPI_Irecv(into, 1, MPI_INTEGER, 0, 11, MPI_COMM_SELF, request)
    before = into(1)
    call MPI_Send(9, 1, MPI_INTEGER, 0, 11, MPI_COMM_SELF)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    late = into(1) + before
  end function

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print "(a, i0, 2a)", "rank ", rank, ": wrong: ", what
    failed = failed + 1
  end subroutine
end program
