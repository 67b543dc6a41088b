/* The plane cut into blocks, one a rank, and the exchange of their edges. */
#include <string.h>

#include "weather.h"

/* Parts differ by one cell at most. */
void first_and_count(int cells, int parts, int part, int* first, int* count) {
  *first = (int)((long long)cells * part / parts);
  *count = (int)((long long)cells * (part + 1) / parts) - *first;
}

static Edge edge_of(int count, int length, size_t stride) {
  Edge edge = {count, length, stride, 0};
  MPI_Type_vector(count, length, (int)stride, MPI_DOUBLE, &edge.type);
  MPI_Type_commit(&edge.type);
  return edge;
}

int divide(Block* b, int cells) {
  int sizes[2] = {0, 0}, round[2] = {1, 1}, place[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b->count);
  MPI_Dims_create(b->count, 2, sizes);
  b->rows = sizes[0];
  b->columns = sizes[1];
  if (b->rows > cells || b->columns > cells) return -1;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, round, 1, &b->ranks);
  MPI_Comm_rank(b->ranks, &b->rank);
  MPI_Cart_coords(b->ranks, b->rank, 2, place);
  MPI_Cart_shift(b->ranks, 0, 1, &b->south, &b->north);
  MPI_Cart_shift(b->ranks, 1, 1, &b->west, &b->east);
  b->cells = cells;
  first_and_count(cells, b->rows, place[0], &b->first_y, &b->height);
  first_and_count(cells, b->columns, place[1], &b->first_x, &b->width);
  b->pitch = (size_t)b->width + 2;
  b->plane = b->pitch * ((size_t)b->height + 2);
  b->column = edge_of(fields * (b->height + 2), 1, b->pitch);
  b->row = edge_of(fields, b->width + 2, b->plane);
  return 0;
}

void free_block(Block* b) {
  MPI_Type_free(&b->column.type);
  MPI_Type_free(&b->row.type);
  MPI_Comm_free(&b->ranks);
}

static void copy_edge(const Edge* edge, const double* from, double* to) {
  for (int i = 0; i < edge->count; ++i)
    memcpy(to + (size_t)i * edge->stride, from + (size_t)i * edge->stride,
           (size_t)edge->length * sizeof *to);
}

/* My first and last edge to the ranks before and after me, and theirs into my frame. `step` doubles
 * lie between an edge and the next, `cells` edges between the two sides of the frame. */
static void exchange_edges(const Block* b, const Edge* edge, int before, int after, double* state,
                           size_t step, int cells) {
  enum { upward, downward, messages = 4 };
  double *frame_before = state, *first = state + step;
  double *last = state + step * (size_t)cells, *frame_after = last + step;
  MPI_Request requests[messages];
  if (before == b->rank) { /* then so is the one after me */
    copy_edge(edge, last, frame_before);
    copy_edge(edge, first, frame_after);
    return;
  }
  MPI_Irecv(frame_before, 1, edge->type, before, upward, b->ranks, &requests[0]);
  MPI_Irecv(frame_after, 1, edge->type, after, downward, b->ranks, &requests[1]);
  MPI_Isend(last, 1, edge->type, after, upward, b->ranks, &requests[2]);
  MPI_Isend(first, 1, edge->type, before, downward, b->ranks, &requests[3]);
  for (int i = 0; i < messages; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* Columns first: the rows then carry the corners along. */
void exchange_frame(const Block* b, double* state) {
  exchange_edges(b, &b->column, b->west, b->east, state, 1, b->width);
  exchange_edges(b, &b->row, b->south, b->north, state, b->pitch, b->height);
}
