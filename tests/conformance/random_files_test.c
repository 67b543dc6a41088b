/* Random accesses to files through random views, in all forms, against a picture of the file's
 * bytes that each rank keeps alone in plain memory. usage: random_files_test [seed [cases [first
 * case]]] */
#include "file_case.h"

/* ---- one step -----------------------------------------------------------------------------------
 */

static Part plans[batch_max][ranks_max];
static int batch;

static int may_read(void) {
  return !(amode & MPI_MODE_WRONLY);
}
static int may_write(void) {
  return !(amode & MPI_MODE_RDONLY);
}
static int random_direction(void) {
  return may_read() && may_write() ? flip() : may_write();
}

static long end_of_view(const View* view) {
  return view->layout.bytes ? (bytes_before(view, file_bytes) + view->unit - 1) / view->unit : 0;
}

static void seek(const Part* part) {
  MPI_Offset now;
  long whence = between(0, 3);
  SUCCEEDS(MPI_File_get_position(file, &now));
  if (now == part->offset && flip()) return;
  if (whence == 0 && !may_write())
    SUCCEEDS(MPI_File_seek(file, part->offset - end_of_view(view_of_rank(me)), MPI_SEEK_END));
  else if (whence == 1)
    SUCCEEDS(MPI_File_seek(file, part->offset - now, MPI_SEEK_CUR));
  else
    SUCCEEDS(MPI_File_seek(file, part->offset, MPI_SEEK_SET));
  SUCCEEDS(MPI_File_get_position(file, &now));
  HELD(now == part->offset);
}

static void compare_read(const Part* part, const Data* data, const MPI_Status* status,
                         uint64_t filler) {
  long there = part->writes ? part->n * view_of_rank(me)->unit : bytes_there(me, part);
  long moved = part->writes ? there : bytes_that_come(data, there);
  MPI_Count count;
  MPI_Get_count_c(status, MPI_BYTE, &count);
  HELD(count == moved);
  MPI_Get_elements_c(status, data->tree.type, &count);
  if (there == part->n * view_of_rank(me)->unit) HELD(count == data->count * data->tree.map.count);
  if (part->writes) return;
  unsigned char* expected = malloc(data->bytes);
  fill_bytes(expected, data->bytes, filler);
  Filling filling = {data, expected, moved, 0};
  over_bytes(me, part, fill_from_picture, &filling);
  HELD(memcmp(expected, data->space, data->bytes) == 0);
  free(expected);
}

static void expect_position(const Part* part, const Data* data) {
  MPI_Offset now;
  if (part->pointer != individually) return;
  long unit = view_of_rank(me)->unit, there = part->n * unit;
  if (!part->writes) there = bytes_there(me, part);
  SUCCEEDS(MPI_File_get_position(file, &now));
  now -= part->offset;
  /* Behind all that was asked for, or behind what there was; the last etype may be there in part.
   */
  HELD(now == part->n ||
       (now >= bytes_that_come(data, there) / unit && now <= (there + unit - 1) / unit));
}

/* This rank's calls of a step. */
static void run_own_calls(void) {
  Call calls[batch_max];
  Data data[batch_max];
  MPI_Status statuses[batch_max];
  MPI_Request requests[batch_max];
  for (int b = 0; b < batch; ++b) {
    Part* part = &plans[b][me];
    requests[b] = MPI_REQUEST_NULL;
    if (!part->takes_part) continue;
    begin_own(b);
    data[b] = make_data(view_of_rank(me), part->n, external, part->key + 1);
    if (part->writes) {
      Filling filling = {&data[b], data[b].space, 0, part->key};
      over_bytes(me, part, fill_with_key, &filling);
    }
    if (part->pointer == individually) seek(part);
    calls[b] = (Call){file,         part->pointer,       part->manner,  part->writes,     flip(),
                      part->offset, origin_of(&data[b]), data[b].count, data[b].tree.type};
    end_own();
    SUCCEEDS(begin_call(&calls[b], &statuses[b], &requests[b]));
    if (part->manner == blocking || part->manner == collective) expect_position(part, &data[b]);
  }
  for (int b = 0; b < batch; ++b) {
    Part* part = &plans[b][me];
    if (!part->takes_part) continue;
    SUCCEEDS(end_call(&calls[b], &statuses[b], &requests[b]));
    if (part->manner == split || batch == 1) expect_position(part, &data[b]);
    compare_read(part, &data[b], &statuses[b], part->key + 1);
    free_data(&data[b]);
  }
}

static void run_step(void) {
  run_own_calls();
  MPI_Barrier(comm);
  for (int b = 0; b < batch; ++b)
    for (int r = 0; r < ranks; ++r) paint_part(r, &plans[b][r]);
  compare_file();
}

static void begin_plan(void) {
  memset(plans, 0, sizeof plans);
  ++step_stamp;
  is_mixed = 0;
  batch = 1;
}

/* ---- kinds of steps
 * -----------------------------------------------------------------------------
 */

static void step_alone(void) {
  doing = "independent accesses";
  is_mixed = may_read() && may_write() && between(0, 2) == 0;
  int writes = random_direction(), at_once = (int)between(1, batch_max);
  for (batch = 0; batch < at_once; ++batch)
    for (int r = 0; r < ranks; ++r) {
      Part* part = &plans[batch][r];
      *part = (Part){.takes_part = between(0, 4) != 0, .writes = is_mixed ? flip() : writes};
      part->pointer = flip() ? by_offset : individually;
      part->manner = flip() ? blocking : nonblocking;
      part->key = next_random(&random_state);
      place_anywhere(r, part);
      if (part->takes_part) part->takes_part = take_bytes(r, part);
    }
  run_step();
}

/* Whether the ranks' parts are anywhere, all of a range, or each of a range of its own, with pieces
 * of the file between them that are nobody's. */
typedef enum { anywhere, of_range, far_apart } Places;

static void step_together(Places places) {
  static const Manner manners[] = {collective, nonblocking_collective, split};
  Manner manner = manners[between(0, 2)];
  Pointer pointer = flip() ? by_offset : individually;
  static const char* const words[] = {"collective accesses", "collective accesses to a range",
                                      "collective accesses far apart"};
  doing = words[places];
  int at_once = manner == nonblocking_collective ? (int)between(1, batch_max) : 1;
  is_mixed = at_once > 1 && may_read() && may_write() && flip();
  int writes = random_direction();
  for (batch = 0; batch < at_once; ++batch) {
    MPI_Aint first, end;
    int apart = (int)between(0, ranks - 1);
    random_range(&first, &end);
    if (is_mixed) writes = flip();
    for (int r = 0; r < ranks; ++r) {
      Part* part = &plans[batch][r];
      *part = (Part){1, writes, pointer, manner, 0, 0, next_random(&random_state)};
      if (places == anywhere)
        place_anywhere(r, part);
      else if (places == of_range)
        place_in_range(r, part, first, end);
      else if (r == apart || r == 0)
        place_in_range(r, part, r ? 131072 : 0, r ? 196608 : 65536);
      if (!take_bytes(r, part)) part->n = 0;
    }
  }
  run_step();
}

static void expect_shared_position(void) {
  MPI_Offset now;
  SUCCEEDS(MPI_File_get_position_shared(file, &now));
  HELD(now == shared_at);
  MPI_Barrier(comm);
}

static void seek_shared(void) {
  long to = bytes_before(&views[0], random_address()) / views[0].unit, whence = between(0, 2);
  MPI_Offset offset = to;
  if (whence == 1) offset -= shared_at;
  if (whence == 2) offset -= end_of_view(&views[0]);
  static const int names[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};
  SUCCEEDS(MPI_File_seek_shared(file, offset, names[whence]));
  shared_at = to;
  expect_shared_position();
}

/* The others have nothing to do meanwhile. */
static void step_shared(void) {
  doing = "the shared pointer";
  if (flip()) seek_shared();
  int r = (int)between(0, ranks - 1);
  Part* part = &plans[0][r];
  *part = (Part){.takes_part = 1, .writes = random_direction(), .pointer = shared_pointer};
  place_anywhere(r, part);
  part->offset = shared_at;
  part->manner = flip() ? blocking : nonblocking;
  part->key = next_random(&random_state);
  if (take_bytes(r, part))
    shared_at += part->n;
  else
    part->takes_part = 0;
  run_step();
  expect_shared_position();
}

static void step_ordered(void) {
  doing = "ordered accesses";
  if (flip()) seek_shared();
  int writes = random_direction(), manner = flip() ? collective : split;
  for (int r = 0; r < ranks; ++r) {
    Part* part = &plans[0][r];
    *part = (Part){1, writes, shared_pointer, (Manner)manner, 0, 0, next_random(&random_state)};
    place_anywhere(r, part);
    part->offset = shared_at;
    if (!take_bytes(r, part)) part->n = 0;
    shared_at += part->n;
  }
  run_step();
  expect_shared_position();
}

/* Whose part it is that the file has at an offset; -1: nobody's. Each is found once. */
static int whose(const unsigned char* bytes, long offset, Part* parts) {
  for (int r = 0; r < ranks; ++r) {
    int same = parts[r].takes_part;
    for (long i = 0; same && i < parts[r].n * views[0].unit; ++i)
      same = bytes[address_at(&views[0], offset * views[0].unit + i)] ==
             byte_at((size_t)i, parts[r].key);
    if (same) return r;
  }
  return -1;
}

/* All ranks write as many etypes: by the shared pointer, in any order; or, in atomic mode, in the
 * same place. */
static void step_of_all(int in_one_place) {
  static unsigned char bytes[picture_max];
  doing = in_one_place ? "atomic writes in one place" : "writes by the shared pointer";
  Part like = {1, 1, in_one_place ? by_offset : shared_pointer, blocking, 0, 0, 0};
  place_anywhere(0, &like);
  like.n = like.n % 1000 / ranks;
  if (!in_one_place) like.offset = shared_at;
  Part whole = like;
  if (!in_one_place) whole.n *= ranks;
  if (!take_bytes(0, &whole)) return;
  for (int r = 0; r < ranks; ++r) {
    plans[0][r] = like;
    plans[0][r].key = next_random(&random_state);
  }
  run_own_calls();
  MPI_Barrier(comm);
  memset(bytes, 0, sizeof bytes);
  read_file(bytes);
  for (int k = 0; k < (in_one_place ? 1 : ranks); ++k) {
    Part found = like;
    int r = whose(bytes, like.offset + k * like.n, plans[0]);
    HELD(r >= 0);
    found.offset += k * like.n, found.key = plans[0][r].key;
    plans[0][r].takes_part = 0;
    paint_part(0, &found);
  }
  if (!in_one_place) shared_at += ranks * like.n;
  expect_shared_position();
  compare_file();
}

static void step_of_sizes(void) {
  long bytes = between(0, file_bytes + 2000), which = between(0, 5);
  MPI_Offset displacement;
  doing = "sizes and modes";
  if (which <= 1 && may_write()) {
    SUCCEEDS(MPI_File_set_size(file, bytes));
    set_picture_bytes(bytes);
  } else if (which == 2 && may_write()) {
    SUCCEEDS(MPI_File_preallocate(file, bytes));
    if (bytes > file_bytes) set_picture_bytes(bytes);
  } else if (which == 3) {
    MPI_Info info = random_info();
    SUCCEEDS(MPI_File_set_info(file, info));
    free_info(&info);
  } else if (which == 4) {
    atomic = !atomic;
    SUCCEEDS(MPI_File_set_atomicity(file, atomic));
  } else if (between(0, 20) == 0) {
    SUCCEEDS(MPI_File_sync(file));
  }
  const View* view = view_of_rank(me);
  if (view->layout.bytes > 0) {
    SUCCEEDS(MPI_File_get_byte_offset(file, bytes, &displacement));
    HELD(displacement == address_at(view, bytes * view->unit));
  }
  MPI_Barrier(comm);
  compare_file();
}

static void one_step(int divided) {
  long which = between(0, 9);
  begin_plan();
  if (which == 0)
    step_of_sizes();
  else if (one_view && which <= 3 && between(0, 2))
    step_ordered();
  else if (one_view && which <= 3)
    step_shared();
  else if (one_view && which == 4 && may_write() && between(0, 2) == 0)
    step_of_all(atomic && flip());
  else if (which <= 5)
    step_alone();
  else
    step_together(between(0, 15) == 0                                  ? far_apart
                  : (divided ? between(0, 3) > 0 : between(0, 4) == 0) ? of_range
                                                                       : anywhere);
}

/* ---- one phase: a view
 * --------------------------------------------------------------------------
 */

static void set_random_view(int divided) {
  one_view = !divided && flip();
  if (divided) divide_views(views, ranks);
  for (int r = 0; !divided && r < (one_view ? 1 : ranks); ++r) views[r] = random_view();
  View* view = view_of_rank(me);
  MPI_Info info = random_info();
  external = between(0, 4) == 0;
  const char* wanted = external ? "external32" : flip() ? "native" : "internal";
  char got[MPI_MAX_DATAREP_STRING];
  MPI_Offset disp;
  MPI_Datatype etype, filetype;
  MPI_Type_commit(&view->filetype);
  MPI_Type_commit(&view->etype.type);
  SUCCEEDS(MPI_File_set_view(file, view->disp, view->etype.type, view->filetype, wanted, info));
  free_info(&info);
  SUCCEEDS(MPI_File_get_view(file, &disp, &etype, &filetype, got));
  HELD(disp == view->disp && strcmp(got, wanted) == 0);
  for (MPI_Datatype* each = &etype; each; each = each == &etype ? &filetype : NULL) {
    Tree tree = {*each, {0}};
    free_tree(&tree);
  }
  shared_at = 0;
}

static void open_file(int mode, int append) {
  MPI_Info info = random_info();
  MPI_Offset now;
  doing = append ? "opening to append" : "opening";
  amode = mode;
  SUCCEEDS(MPI_File_open(comm, name, mode | (append ? MPI_MODE_APPEND : 0), info, &file));
  free_info(&info);
  long end = file_bytes;
  if (append && may_write()) {
    /* At once, while others may still be opening. */
    int r = (int)between(0, ranks - 1);
    uint64_t key = next_random(&random_state);
    unsigned char bytes[5];
    fill_bytes(bytes, sizeof bytes, key);
    if (me == r) SUCCEEDS(MPI_File_write_shared(file, bytes, 5, MPI_BYTE, MPI_STATUS_IGNORE));
    fill_bytes(picture + file_bytes, sizeof bytes, key);
    file_bytes += 5;
  }
  SUCCEEDS(MPI_File_get_position(file, &now));
  HELD(now == (append ? end : 0));
  MPI_Barrier(comm);
  compare_file();
  if (atomic) SUCCEEDS(MPI_File_set_atomicity(file, 1));
}

static void run_phase(void) {
  static const int modes[] = {MPI_MODE_RDWR, MPI_MODE_RDWR, MPI_MODE_RDONLY, MPI_MODE_WRONLY};
  if (phase > 0 && between(0, 2) == 0) {
    SUCCEEDS(MPI_File_close(&file));
    open_file(modes[between(0, 3)], between(0, 2) == 0 && file_bytes < picture_max / 2);
  }
  int divided = between(0, 2) == 0, steps = (int)between(1, 6);
  doing = "setting the view";
  set_random_view(divided);
  for (step = 1; step <= steps; ++step) one_step(divided);
  for (int r = 0; r < (one_view ? 1 : ranks); ++r) free_view(&views[r]);
}

static void make_file(void) {
  memset(picture, 0, sizeof picture);
  file_bytes = between(0, 3) ? between(0, 5000) : between(0, picture_max / 2);
  if (between(0, 3) == 0) file_bytes = 0;
  fill_bytes(picture, (size_t)file_bytes, next_random(&random_state));
  if (me == 0 && file_bytes > 0) {
    int descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    HELD(write(descriptor, picture, (size_t)file_bytes) == file_bytes);
    close(descriptor);
  }
}

static void run_case(void) {
  int order = flip() ? -rank : rank, some = between(0, 3) ? size : (int)between(1, size);
  MPI_Comm_split(MPI_COMM_WORLD, rank < some ? 0 : MPI_UNDEFINED, order, &comm);
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  phase = step = atomic = 0;
  make_file();
  MPI_Barrier(comm);
  int excl = file_bytes == 0 && flip() ? MPI_MODE_EXCL : 0;
  int gone = flip() ? MPI_MODE_DELETE_ON_CLOSE : 0;
  open_file(MPI_MODE_RDWR | MPI_MODE_CREATE | excl, 0);
  int phases = (int)between(1, 4);
  for (; phase < phases; ++phase) run_phase();
  doing = "closing";
  SUCCEEDS(MPI_File_close(&file));
  if (gone) {
    SUCCEEDS(MPI_File_open(comm, name, MPI_MODE_RDONLY | gone, MPI_INFO_NULL, &file));
    SUCCEEDS(MPI_File_close(&file));
    HELD(access(name, F_OK) != 0);
  } else if (me == 0) {
    SUCCEEDS(MPI_File_delete(name, MPI_INFO_NULL));
  }
  MPI_Comm_free(&comm);
}

static long number_of(int argc, char** argv, int which, long otherwise) {
  return argc > which ? atol(argv[which]) : otherwise;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  make_basics();
  CHECK(size <= ranks_max);
  seed = (unsigned long long)number_of(argc, argv, 1, 1);
  long cases = number_of(argc, argv, 2, 100), first = number_of(argc, argv, 3, 0);
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "random_files_%d", process);
  if (rank == 0) printf("seed %llu, cases %ld to %ld\n", seed, first, cases - 1);
  for (case_number = first; case_number < cases; ++case_number) {
    random_state = seed * 1000003u + (uint64_t)case_number;
    run_case();
  }
  return finish();
}
