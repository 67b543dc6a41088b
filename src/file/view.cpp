#include "file/view.hpp"

#include <algorithm>
#include <cstdlib>

namespace baton::file {

namespace {

// Sets what follows from the stored filetype.
void derive(View& view) {
  const Datatype& type = *view.stored_filetype;
  view.span = datatype::span_of(type.shape);
  view.contiguous =
      view.span.ascends && view.span.end - view.span.first == type.size && type.extent == type.size;
  view.ascends = view.span.ascends && type.extent >= view.span.end - view.span.first;
  view.start = view.displacement + view.span.first;
  view.is_marked = false;
  view.average_bytes = type.size;
  if (view.contiguous || type.size == 0) return;
  constexpr int space = 64;
  ByteRun runs[space];
  std::int64_t listed = 0;
  const int count =
      datatype::list_runs(type.shape, type.extent, 0, type.size, runs, space, &listed);
  view.average_bytes = std::max<std::int64_t>(1, listed / count);
}

// Returns whether runs of one filetype overlap. Types of very many runs that do not ascend are
// taken for correct.
bool overlaps_itself(const Datatype& type) {
  constexpr int runs_max = 1 << 20;
  auto* runs = static_cast<ByteRun*>(std::malloc(runs_max * sizeof(ByteRun)));
  if (!runs) return false;
  std::int64_t listed = 0;
  const int count =
      datatype::list_runs(type.shape, type.extent, 0, type.size, runs, runs_max, &listed);
  bool overlaps = false;
  if (listed == type.size) {
    std::sort(runs, runs + count,
              [](const ByteRun& a, const ByteRun& b) { return a.offset < b.offset; });
    for (int i = 1; i < count; ++i)
      overlaps |= runs[i].offset < runs[i - 1].offset + runs[i - 1].bytes;
  }
  std::free(runs);
  return overlaps;
}

// Refuses filetypes that the standard does not allow. Two kinds are taken all the same, which HDF5
// makes for data in chunks: those whose displacements do not ascend, and those that would overlap
// if they repeated, but are used once.
Error check_filetype(const Datatype& etype, const Datatype& filetype, bool writes) {
  if (etype.size > 0 && filetype.size % etype.size != 0)
    return fail(MPI_ERR_ARG,
                "argument 4 (filetype) has %lld bytes, which is no multiple of the %lld bytes of "
                "the etype; build the filetype of etypes",
                static_cast<long long>(filetype.size), static_cast<long long>(etype.size));
  if (filetype.size == 0) return MPI_SUCCESS;
  const datatype::AddressSpan span = datatype::span_of(filetype.shape);
  if (filetype.true_lower_bound < 0)
    return fail(MPI_ERR_ARG,
                "argument 4 (filetype) has data %lld bytes before its origin; displacements in a "
                "filetype must not be negative",
                static_cast<long long>(-filetype.true_lower_bound));
  if (filetype.extent <= 0)
    return fail(MPI_ERR_ARG, "argument 4 (filetype) has extent %lld; it must be positive",
                static_cast<long long>(filetype.extent));
  if (writes && !span.ascends && overlaps_itself(filetype))
    return fail(MPI_ERR_ARG,
                "argument 4 (filetype): its data overlaps; a file that may be written needs a "
                "filetype without overlaps");
  return MPI_SUCCESS;
}

}  // namespace

std::int64_t View::address(std::int64_t position) const {
  if (contiguous) return start + position;
  const std::int64_t tile = position / tile_bytes();
  return displacement + tile * extent() +
         datatype::address_at(stored_filetype->shape, position - tile * tile_bytes());
}

std::int64_t View::bytes_within(std::int64_t position, std::int64_t addresses) const {
  return std::max<std::int64_t>(1, position_before(address(position) + addresses) - position);
}

std::int64_t View::position_before(std::int64_t address) const {
  if (contiguous) return std::max<std::int64_t>(0, address - start);
  const std::int64_t inside = address - start;
  if (inside <= 0 || tile_bytes() == 0) return 0;
  const std::int64_t tile = inside / extent();
  return tile * tile_bytes() +
         datatype::bytes_before(stored_filetype->shape, address - displacement - tile * extent());
}

int View::list(std::int64_t position, std::int64_t bytes, ByteRun* runs, int space,
               std::int64_t* listed) const {
  if (contiguous) {
    *listed = bytes;
    runs[0] = {start + position, bytes};
    return bytes > 0;
  }
  const int count =
      datatype::list_runs(stored_filetype->shape, extent(), position, bytes, runs, space, listed);
  for (int i = 0; i < count; ++i) runs[i].offset += displacement;
  return count;
}

void set_default_view(View& view) {
  view = View{};
  view.etype = view.filetype = view.stored_etype = view.stored_filetype =
      datatype::datatypes.find(MPI_BYTE);
  view.representation = &native_representation();
  derive(view);
}

Error change_view(View& view, MPI_Offset displacement, Datatype& etype, Datatype& filetype,
                  const char* representation, bool writes) {
  const Representation* found = find_representation(representation);
  if (!found)
    return fail(MPI_ERR_UNSUPPORTED_DATAREP,
                "argument 5 (datarep) is \"%.60s\"; there are \"native\", \"internal\", "
                "\"external32\", and those of MPI_Register_datarep",
                representation);
  if (displacement < 0)
    return fail(MPI_ERR_ARG, "argument 2 (disp) is %lld; it must be at least 0",
                static_cast<long long>(displacement));
  View changed;
  changed.displacement = displacement;
  changed.representation = found;
  if (Error error = stored_type(*found, etype, &changed.stored_etype)) return error;
  Error error = stored_type(*found, filetype, &changed.stored_filetype);
  if (!error) error = check_filetype(*changed.stored_etype, *changed.stored_filetype, writes);
  if (error) {
    datatype::release(*changed.stored_etype);
    if (changed.stored_filetype) datatype::release(*changed.stored_filetype);
    return error;
  }
  datatype::retain(etype);
  datatype::retain(filetype);
  changed.etype = &etype;
  changed.filetype = &filetype;
  release_view(view);
  view = changed;
  derive(view);
  return MPI_SUCCESS;
}

void release_view(View& view) {
  for (Datatype* type : {view.etype, view.filetype, view.stored_etype, view.stored_filetype})
    if (type) datatype::release(*type);
  view.etype = view.filetype = view.stored_etype = view.stored_filetype = nullptr;
}

}  // namespace baton::file
