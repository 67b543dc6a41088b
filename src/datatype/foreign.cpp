#include "datatype/foreign.hpp"

#include <algorithm>

#include "datatype/runs.hpp"

namespace baton::datatype {

namespace {

// A range of packed bytes that is moved run by run.
class PackedRange {
 public:
  PackedRange(const BatonMemoryKind& kind, char* packed, std::int64_t bytes, bool packs)
      : copies_(kind), packed_(packed), left_(bytes), packs_(packs) {}

  // Moves what the range still takes of a run, of which the first `skip_` bytes lie before it.
  // Returns whether it takes more.
  bool take(char* run, std::int64_t bytes) {
    const std::int64_t skipped = std::min(skip_, bytes);
    skip_ -= skipped;
    run += skipped;
    const std::int64_t here = std::min(bytes - skipped, left_);
    if (here > 0)
      copies_.copy(packs_ ? packed_ : run, packs_ ? run : packed_, static_cast<std::size_t>(here));
    packed_ += here;
    left_ -= here;
    return left_ > 0;
  }
  void skip(std::int64_t bytes) { skip_ = bytes; }

 private:
  platform::ForeignCopies copies_;
  char* packed_;
  std::int64_t left_;
  std::int64_t skip_ = 0;
  bool packs_;
};

}  // namespace

bool move_foreign(const Datatype& type, char* place, std::int64_t position, char* packed,
                  std::int64_t bytes, bool packs) {
  const BatonMemoryKind* kind = kind_of(type, place);
  if (!kind) kind = platform::memory_kinds.find(packed);
  if (!kind) return false;
  PackedRange range(*kind, packed, bytes, packs);
  if (type.contiguous) {
    range.take(place + position, bytes);
    return true;
  }
  const std::int64_t before = position / type.size;
  range.skip(position % type.size);
  for (place += before * type.extent;; place += type.extent)
    if (!for_each_run(type.shape, place,
                      [&](char* run, std::int64_t length) { return range.take(run, length); }))
      return true;
}

}  // namespace baton::datatype
