#include "by_hand.hpp"

#include <cstdio>
#include <map>
#include <mutex>

namespace baton::fortran::by_hand {

void introduce_fortran() {
  Fint yes = 1, no = 0, told_yes = 0, told_no = 0;
  int is_told = 0;
  MPI_Errhandler handler{};
  PMPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (PMPI_Abi_get_fortran_booleans(sizeof yes, &told_yes, &told_no, &is_told) == MPI_SUCCESS &&
      !is_told)
    PMPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  PMPI_Errhandler_free(&handler);
}

void refuse_function(const char* what, Fint* ierror) {
  int code = MPI_ERR_INTERN;
  char text[MPI_MAX_ERROR_STRING];
  std::snprintf(text, sizeof text,
                "%s: there are more than 256 different Fortran functions of this kind", what);
  if (PMPI_Add_error_code(MPI_ERR_INTERN, &code) == MPI_SUCCESS) PMPI_Add_error_string(code, text);
  PMPI_Comm_call_errhandler(MPI_COMM_SELF, code);
  tell(ierror, code);
}

Neighbors neighbors_of(MPI_Comm comm, bool of_topology) {
  Neighbors found;
  if (!of_topology) {
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    (is_inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &found.sources);
    found.destinations = found.sources;
    return found;
  }
  int topology = MPI_UNDEFINED, weighted = 0, rank = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &found.sources, &found.destinations, &weighted);
  } else if (topology == MPI_GRAPH) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &found.sources);
    found.destinations = found.sources;
  } else if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &found.sources);
    found.sources *= 2;
    found.destinations = found.sources;
  }
  return found;
}

const MPI_Datatype* kept_types(const Fint* numbers, int count) {
  static auto* kept = new std::map<std::vector<Fint>, std::vector<MPI_Datatype>>;
  static std::mutex lock;
  std::vector<Fint> key(numbers, numbers + (count < 0 ? 0 : count));
  std::scoped_lock guard(lock);
  std::vector<MPI_Datatype>& types = (*kept)[key];
  types.clear();
  types.reserve(key.size() + 1);
  for (const Fint number : key) types.push_back(handle<MPI_Datatype>(number));
  return types.data();
}

}  // namespace baton::fortran::by_hand
