#include "file/access.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/status_fields.hpp"
#include "datatype/foreign.hpp"
#include "file/board.hpp"
#include "message/core/loss.hpp"
#include "message/core/requests.hpp"

namespace baton::file {

namespace {

Error too_far(MPI_Offset offset) {
  return fail(MPI_ERR_ARG, "the access at offset %lld would end beyond 2^63 bytes",
              static_cast<long long>(offset));
}

// Finds the position of the first byte from an offset in etypes.
Error position_of(const File& file, MPI_Offset offset, std::int64_t bytes, std::int64_t* position) {
  std::int64_t end, tiles;
  const View& view = file.view;
  if (__builtin_mul_overflow(offset, view.etype_bytes(), position) ||
      __builtin_add_overflow(*position, bytes, &end))
    return too_far(offset);
  if (view.tile_bytes() > 0 &&
      (__builtin_mul_overflow(end / view.tile_bytes() + 1, view.extent(), &tiles) ||
       __builtin_add_overflow(tiles, view.displacement + view.span.end, &end)))
    return too_far(offset);
  return MPI_SUCCESS;
}

// Data in another representation is converted as a whole, in memory of its size in the file.
Error carry_out_converted(File& file, const Access& access, Placed& placed, std::int64_t* moved) {
  const Representation& representation = *file.view.representation;
  *moved = 0;
  auto* packed = static_cast<char*>(std::malloc(static_cast<std::size_t>(placed.bytes)));
  if (!packed)
    return fail(MPI_ERR_NO_MEM, "no memory for %lld bytes of converted data",
                static_cast<long long>(placed.bytes));
  const Memory memory(packed, *datatype::datatypes.find(MPI_BYTE), true);
  std::int64_t stored = 0;
  Error error = MPI_SUCCESS;
  if (access.writes)
    error = to_file(representation, *access.type, access.count, access.buffer, packed);
  if (!error) error = transfer(file, access.writes, placed.position, memory, placed.bytes, &stored);
  const std::int64_t each = placed.bytes / access.count;
  if (access.writes) {
    *moved = stored / each * access.type->size;
  } else {
    const Error failed = from_file(representation, *access.type, access.count, access.buffer,
                                   packed, each, &stored, moved);
    if (!error) error = failed;
  }
  placed.converted = stored;
  std::free(packed);
  return error;
}

std::int64_t etypes_of(const File& file, std::int64_t bytes) {
  const std::int64_t each = file.view.etype_bytes();
  return each > 0 ? (bytes + each - 1) / each : 0;
}

}  // namespace

Error check_mode(const File& file, bool writes, bool by_shared_pointer) {
  if (Error error = message::revoked(file.comm)) return error;
  if (writes && file.has(MPI_MODE_RDONLY))
    return fail(MPI_ERR_READ_ONLY,
                "%.200s was opened with MPI_MODE_RDONLY; MPI_MODE_RDWR or MPI_MODE_WRONLY lets it "
                "be written",
                file.name);
  if (!writes && file.has(MPI_MODE_WRONLY))
    return fail(MPI_ERR_ACCESS,
                "%.200s was opened with MPI_MODE_WRONLY; MPI_MODE_RDWR or MPI_MODE_RDONLY lets it "
                "be read",
                file.name);
  if (!by_shared_pointer && file.has(MPI_MODE_SEQUENTIAL))
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "%.200s was opened with MPI_MODE_SEQUENTIAL, so that only the shared file pointer "
                "may be used",
                file.name);
  return MPI_SUCCESS;
}

Error check_access(const File& file, const Access& access, std::int64_t* stored_bytes) {
  const bool shared = access.pointer == Pointer::shared;
  if (Error error = check_mode(file, access.writes, shared)) return error;
  if (access.pointer == Pointer::offset && access.offset < 0)
    return fail(MPI_ERR_ARG, "argument 2 (offset) is %lld; it must be at least 0",
                static_cast<long long>(access.offset));
  std::int64_t each = access.type->size;
  if (BATON_UNLIKELY(file.view.representation->converts(access.writes))) {
    if (!file.comm->collective.is_host() &&
        datatype::kind_of(*access.type, access.buffer) != nullptr)
      return fail(
          MPI_ERR_CONVERSION,
          "data in memory that the processor must not touch is not converted to \"%s\"; copy "
          "it to host memory, or use \"native\"",
          file.view.representation->name);
    Datatype* stored = nullptr;
    if (Error error = stored_type(*file.view.representation, *access.type, &stored)) return error;
    each = stored->size;
    datatype::release(*stored);
  }
  if (__builtin_mul_overflow(each, access.count, stored_bytes)) return too_far(access.offset);
  if (*stored_bytes > 0 && file.view.tile_bytes() == 0)
    return fail(MPI_ERR_ARG,
                "the view's filetype has no bytes, so there is nothing to read or write");
  if (file.view.etype_bytes() > 0 && *stored_bytes % file.view.etype_bytes() != 0)
    return fail(MPI_ERR_ARG, "%lld bytes are no whole number of the view's etypes of %lld bytes",
                static_cast<long long>(*stored_bytes),
                static_cast<long long>(file.view.etype_bytes()));
  return MPI_SUCCESS;
}

Error place(File& file, const Access& access, std::int64_t bytes, bool moves_pointer,
            Placed* placed) {
  placed->bytes = bytes;
  MPI_Offset offset = access.offset;
  if (access.pointer == Pointer::individual) {
    platform::Guard guard(file.lock);
    offset = file.individual;
    if (Error error = position_of(file, offset, bytes, &placed->position)) return error;
    if (moves_pointer) file.individual = offset + etypes_of(file, bytes);
    return MPI_SUCCESS;
  }
  if (access.pointer == Pointer::shared)
    if (Error error = add_to_shared_pointer(file, etypes_of(file, bytes), &offset)) return error;
  return position_of(file, offset, bytes, &placed->position);
}

Error carry_out(File& file, const Access& access, Placed& placed, std::int64_t* moved) {
  *moved = 0;
  if (placed.bytes == 0) return MPI_SUCCESS;
  AtomicRange range(file, access.writes, placed.position, placed.bytes);
  if (range.error()) return range.error();
  if (BATON_UNLIKELY(file.view.representation->converts(access.writes)))
    return carry_out_converted(file, access, placed, moved);
  const Memory memory(access.buffer, *access.type, file.comm->collective.is_host());
  return transfer(file, access.writes, placed.position, memory, placed.bytes, moved);
}

void set_pointer_behind(File& file, const Access& access, const Placed& placed,
                        std::int64_t moved) {
  if (access.pointer != Pointer::individual) return;
  const std::int64_t each = file.view.etype_bytes();
  if (each == 0) return;
  const bool converts = file.view.representation->converts(access.writes);
  const std::int64_t stored = converts ? placed.converted : moved;
  platform::Guard guard(file.lock);
  file.individual = placed.position / each + etypes_of(file, stored);
}

void fill_status(MPI_Status* status, std::int64_t moved) {
  if (!status) return;
  set_status_empty(*status);
  set_status_bytes(*status, moved);
}

void tell_begun(const File& file, const Access& access, bool by_all, std::int64_t bytes,
                EventPlace place) {
  if (is_told(Event::file_access_begun))
    tell(Event::file_access_begun, place, reinterpret_cast<std::uint64_t>(file.handle),
         {bytes, access.writes, by_all});
}

void tell_ended(const File& file, const Access& access, bool by_all, std::int64_t moved) {
  if (is_told(Event::file_access_ended))
    tell(Event::file_access_ended, EventPlace::inside, reinterpret_cast<std::uint64_t>(file.handle),
         {moved, access.writes, by_all});
}

void count_call(File& file, const Access& access, bool by_all, std::int64_t moved) {
  FileCounts& counts = file.counts;
  if (access.writes) {
    ++(by_all ? counts.writes_all : counts.writes);
    counts.written_bytes += moved;
  } else {
    ++(by_all ? counts.reads_all : counts.reads);
    counts.read_bytes += moved;
  }
  tell_ended(file, access, by_all, moved);
}

Error note_outcome(File& file, const Access& access, Error error) {
  if (BATON_UNLIKELY(error && access.writes)) note_lost_data(file.lost);
  return error;
}

Error access(File& file, const Access& access, MPI_Status* status) {
  std::int64_t bytes, moved = 0;
  if (Error error = check_access(file, access, &bytes)) return error;
  // Before anything has moved: a callback may access the file itself.
  tell_begun(file, access, false, bytes, EventPlace::call);
  Placed placed;
  if (Error error = place(file, access, bytes, false, &placed)) {
    tell_ended(file, access, false, 0);
    return error;
  }
  const Error error = carry_out(file, access, placed, &moved);
  set_pointer_behind(file, access, placed, moved);
  fill_status(status, moved);
  count_call(file, access, false, moved);
  return note_outcome(file, access, error);
}

}  // namespace baton::file
