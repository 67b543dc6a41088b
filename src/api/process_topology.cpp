#include "api/process_topology.hpp"

namespace baton::api {

namespace {

int largest_prime_of(int number) {
  int largest = 1;
  for (int factor = 2; factor <= number / factor; ++factor)
    for (; number % factor == 0; number /= factor) largest = factor;
  return number > 1 ? number : largest;
}

// Whether `count` factors of `size` can be all at least as small as `factor`: a necessary
// condition.
bool power_reaches(int factor, int count, int size) {
  std::int64_t power = 1;
  for (int i = 0; i < count && power < size; ++i) power *= factor;
  return power >= size;
}

// The free places from the first on get factors of `size`, none above `most`, the first as small as
// possible. False when there is no way.
bool factorise(int size, int free, int most, int* dims) {
  if (free == 0) return size == 1;
  while (*dims != 0) ++dims;
  if (free == 1) {
    if (size <= most) *dims = size;
    return size <= most;
  }
  int least = largest_prime_of(size);
  for (std::int64_t wide = least; wide <= most; wide += least) {
    int factor = static_cast<int>(wide);
    if (size % factor != 0 || !power_reaches(factor, free, size)) continue;
    *dims = factor;
    if (factorise(size / factor, free - 1, factor, dims + 1)) return true;
    *dims = 0;
  }
  return false;
}

}  // namespace

Error dims_create(int nodes, int count, int* dims) {
  if (nodes < 1)
    return fail(MPI_ERR_ARG, "argument 1 (nnodes) is %d; it must be at least 1", nodes);
  if (count < 0)
    return fail(MPI_ERR_DIMS, "argument 2 (ndims) is %d; it must be at least 0", count);
  int rest = nodes, free = 0;
  for (int i = 0; i < count; ++i) {
    if (dims[i] < 0)
      return fail(MPI_ERR_DIMS,
                  "argument 3 (dims): element %d is %d; give 0 for a dimension to be chosen", i,
                  dims[i]);
    if (dims[i] == 0) {
      ++free;
      continue;
    }
    if (rest % dims[i] != 0)
      return fail(MPI_ERR_DIMS,
                  "argument 3 (dims): %d nodes cannot be spread over the dimensions given: element "
                  "%d is %d",
                  nodes, i, dims[i]);
    rest /= dims[i];
  }
  if (free == 0 && rest != 1)
    return fail(
        MPI_ERR_DIMS,
        "argument 3 (dims): their product is %d, not nnodes (%d); give 0 for one to be chosen",
        nodes / rest, nodes);
  if (!factorise(rest, free, rest, dims))
    return fail(MPI_ERR_DIMS, "argument 2 (ndims): %d nodes have no factors for %d dimensions",
                nodes, count);
  return MPI_SUCCESS;
}

}  // namespace baton::api
