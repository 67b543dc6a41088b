#include "section.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace baton::fortran {

namespace {

constexpr int dimensions_max = 15;

// A section without what does not matter: dimensions of one element, and pairs that are one.
struct Shape {
  int rank = 0;
  std::int64_t element_bytes = 0;
  std::array<std::int64_t, dimensions_max> extents, strides;  // of `rank` dimensions
  bool operator==(const Shape& other) const {
    if (rank != other.rank || element_bytes != other.element_bytes) return false;
    for (int i = 0; i < rank; ++i)
      if (extents[i] != other.extents[i] || strides[i] != other.strides[i]) return false;
    return true;
  }
};

Shape shape_of(const Descriptor& array) {
  Shape shape;
  shape.element_bytes = static_cast<std::int64_t>(array.elem_len);
  for (int i = 0; i < array.rank; ++i) {
    const Dimension& d = array.dimensions[i];
    if (d.extent == 1) continue;
    const int last = shape.rank - 1;
    if (last >= 0 && d.stride == shape.extents[last] * shape.strides[last]) {
      shape.extents[last] *= d.extent;
      continue;
    }
    shape.extents[shape.rank] = d.extent;
    shape.strides[shape.rank] = d.stride;
    ++shape.rank;
  }
  return shape;
}

// What is made and not handed on is freed. Errors end it: is_good says so.
class Maker {
 public:
  ~Maker() {
    for (int i = 0; i < made_; ++i) PMPI_Type_free(&types_[i]);
  }
  bool is_good() const { return good_; }

  MPI_Datatype repeat(std::int64_t count, std::int64_t stride, MPI_Datatype type) {
    MPI_Datatype made{};
    return keep(PMPI_Type_create_hvector_c(count, 1, stride, type, &made), made);
  }
  MPI_Datatype repeat(std::int64_t count, MPI_Datatype type) {
    MPI_Datatype made{};
    return keep(PMPI_Type_contiguous_c(count, type, &made), made);
  }
  MPI_Datatype resize(MPI_Datatype type, std::int64_t extent) {
    MPI_Datatype made{};
    return keep(PMPI_Type_create_resized_c(type, 0, extent, &made), made);
  }
  MPI_Datatype join(MPI_Datatype first, MPI_Datatype second, std::int64_t place) {
    const MPI_Count lengths[] = {1, 1}, places[] = {0, place};
    const MPI_Datatype types[] = {first, second};
    MPI_Datatype made{};
    return keep(PMPI_Type_create_struct_c(2, lengths, places, types, &made), made);
  }
  // The last type made, committed, for whoever asks to free.
  MPI_Datatype take(MPI_Datatype type) {
    for (int i = 0; i < made_; ++i)
      if (types_[i] == type) types_[i] = types_[--made_];
    if (PMPI_Type_commit(&type) != MPI_SUCCESS) good_ = false;
    return type;
  }

 private:
  MPI_Datatype keep(int error, const MPI_Datatype& made) {
    if (error != MPI_SUCCESS || made_ == static_cast<int>(types_.size())) {
      good_ = false;
      return MPI_DATATYPE_NULL;
    }
    return types_[made_++] = made;
  }

  std::array<MPI_Datatype, 8 * dimensions_max> types_;
  int made_ = 0;
  bool good_ = true;
};

// The first `count` elements of the first `rank` dimensions.
MPI_Datatype make_exact(Maker& maker, const Shape& shape, int rank, std::int64_t count,
                        MPI_Datatype element) {
  const int last = rank - 1;
  if (last == 0) return maker.repeat(count, shape.strides[0], element);
  std::int64_t inner = 1;
  for (int i = 0; i < last; ++i) inner *= shape.extents[i];
  const std::int64_t full = count / inner, rest = count % inner;
  MPI_Datatype whole{};
  if (full > 0)
    whole = maker.repeat(full, shape.strides[last], make_exact(maker, shape, last, inner, element));
  if (rest == 0) return whole;
  const MPI_Datatype part = make_exact(maker, shape, last, rest, element);
  return full > 0 ? maker.join(whole, part, full * shape.strides[last]) : part;
}

struct Bounds {
  MPI_Count size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  bool is_dense() const {
    return size > 0 && lb == 0 && true_lb == 0 && extent == size && true_extent == size;
  }
};

std::optional<Bounds> bounds_of(MPI_Datatype type) {
  Bounds b;
  if (PMPI_Type_size_c(type, &b.size) || PMPI_Type_get_extent_c(type, &b.lb, &b.extent) ||
      PMPI_Type_get_true_extent_c(type, &b.true_lb, &b.true_extent))
    return {};
  return b;
}

bool is_predefined_type(MPI_Datatype type) {
  return reinterpret_cast<std::uintptr_t>(type) < predefined_max;
}

// What MPI_Type_contiguous and MPI_Type_dup have made is taken apart: `count` of it are more of
// what it was made of. The inner type stays valid as long as the outer one does.
void take_apart(MPI_Datatype& type, std::int64_t& count) {
  while (!is_predefined_type(type)) {
    MPI_Count integers = 0, addresses = 0, larges = 0, types = 0;
    int combiner = 0;
    if (PMPI_Type_get_envelope_c(type, &integers, &addresses, &larges, &types, &combiner)) return;
    if ((combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) || types != 1) return;
    int integer = 1;
    MPI_Count large = 1;
    MPI_Aint place = 0;
    MPI_Datatype inner{};
    if (PMPI_Type_get_contents_c(type, integers, addresses, larges, 1, &integer, &place, &large,
                                 &inner))
      return;
    if (!is_predefined_type(inner)) {  // a handle of our own, of what may be made of more
      PMPI_Type_free(&inner);
      return;
    }
    if (combiner == MPI_COMBINER_CONTIGUOUS) count *= larges ? large : integer;
    type = inner;
  }
}

constexpr char no_memory[] = "is an array section of which no datatype can be made";
constexpr char not_elements[] =
    "is an array section, and the datatype's elements are not the array's: pass a datatype that is "
    "one "
    "element or part of one without gaps, or a contiguous array";
constexpr char no_blocks[] =
    "is an array section whose blocks of count elements do not lie alike: choose the count so that "
    "a "
    "block is whole columns, or pass a contiguous array";

struct Made {
  MPI_Datatype type{};
  std::int64_t count = 0;
  const char* reason = nullptr;
};

Made make_type(const Shape& shape, std::int64_t count, MPI_Datatype datatype, bool in_blocks) {
  Maker maker;
  take_apart(datatype, count);
  const auto bounds = bounds_of(datatype);
  if (!bounds) return {.reason = no_memory};
  if (!bounds->is_dense() || shape.element_bytes % bounds->size) return {.reason = not_elements};
  // Several of the datatype may be one element, as bytes are.
  const std::int64_t each = shape.element_bytes / bounds->size;
  const std::int64_t elements = count / each, rest = count % each;
  const MPI_Datatype element = each == 1 ? datatype : maker.repeat(each, datatype);
  if (in_blocks) {
    std::int64_t inner = 1;
    const int last = shape.rank - 1;
    for (int i = 0; i < last; ++i) inner *= shape.extents[i];
    if (rest || elements % inner) return {.reason = no_blocks};
    const MPI_Datatype slice =
        inner == 1 ? element : make_exact(maker, shape, last, inner, element);
    const MPI_Datatype made = maker.resize(slice, shape.strides[last]);
    if (!maker.is_good()) return {.reason = no_memory};
    const MPI_Datatype type = maker.take(made);
    return {type, elements / inner, maker.is_good() ? nullptr : no_memory};
  }
  MPI_Datatype made = elements > 0 ? make_exact(maker, shape, shape.rank, elements, element)
                                   : maker.repeat(rest, datatype);
  if (elements > 0 && rest > 0) {  // the last element in part
    std::int64_t place = 0, left = elements;
    for (int i = 0; i < shape.rank; ++i) {
      place += (i + 1 < shape.rank ? left % shape.extents[i] : left) * shape.strides[i];
      left /= shape.extents[i];
    }
    made = maker.join(made, maker.repeat(rest, datatype), place);
  }
  if (!maker.is_good()) return {.reason = no_memory};
  const MPI_Datatype type = maker.take(made);
  return {type, 1, maker.is_good() ? nullptr : no_memory};
}

// --- types kept for the next call of the same shape. Of predefined datatypes alone: another's
// number may come to mean another type.

struct Kept {
  Shape shape;
  std::int64_t count = 0;
  MPI_Datatype datatype{};
  bool in_blocks = false;
  Made made;
  std::atomic<int> users = 0;

  bool fits(const Shape& s, std::int64_t wanted, MPI_Datatype type, bool blocks) const {
    return made.type && count == wanted && datatype == type && in_blocks == blocks && shape == s;
  }
  void hold(const Shape& s, std::int64_t wanted, MPI_Datatype type, bool blocks,
            const Made& fresh) {
    shape = s;
    count = wanted;
    datatype = type;
    in_blocks = blocks;
    made = fresh;
    users.store(1, std::memory_order_relaxed);  // under the lock
  }
};
constexpr int kept_max = 128;  // guess: places of a program's loops; each is a datatype
std::array<Kept, kept_max> kept;

// Held for a look, or while a type is made. Who finds it held does not wait, but makes a type of
// its own.
std::atomic<bool> kept_lock = false;

class Guard {
 public:
  // ORDER kept_lock: acquire here, release below; the entries.
  Guard() : has_(!kept_lock.exchange(true, std::memory_order_acquire)) {}
  ~Guard() {
    if (has_) kept_lock.store(false, std::memory_order_release);
  }
  bool has() const { return has_; }

 private:
  bool has_;
};

bool is_watching_the_end = false;

std::size_t place_of(const Shape& shape, std::int64_t count, MPI_Datatype datatype,
                     bool in_blocks) {
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(datatype) * 2 + in_blocks;
  const auto mix = [&mixed](std::int64_t value) {
    mixed = (mixed ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 32;
  };
  mix(count);
  mix(shape.element_bytes);
  for (int i = 0; i < shape.rank; ++i) {
    mix(shape.extents[i]);
    mix(shape.strides[i]);
  }
  return mixed % kept_max;
}

// Called by MPI_Finalize: the types are freed while that is still allowed.
int free_kept(MPI_Comm, int, void*, void*) {
  for (Kept& entry : kept) {  // nobody else is in MPI any more
    if (entry.made.type) PMPI_Type_free(&entry.made.type);
    entry.made = {};
  }
  is_watching_the_end = false;
  return MPI_SUCCESS;
}

// Types are kept in the world model alone: sessions have no end that all can watch.
bool can_keep() {
  if (is_watching_the_end) return true;
  int initialized = 0, finalized = 0, keyval = MPI_KEYVAL_INVALID;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized || finalized) return false;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &keyval, nullptr)) return false;
  is_watching_the_end = PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr) == MPI_SUCCESS;
  PMPI_Comm_free_keyval(&keyval);
  return is_watching_the_end;
}

}  // namespace

void Section::make(const Descriptor& array, bool in_blocks) {
  if (is_sentinel(base_) || count_ <= 0) return;  // the C procedure says what is wrong with a count
  if (datatype_ == MPI_DATATYPE_NULL) return;
  const Shape shape = shape_of(array);
  const auto make_own = [&] {
    const Made made = make_type(shape, count_, datatype_, in_blocks);
    reason_ = made.reason;
    return made;
  };
  const auto take = [this](const Made& made) {
    datatype_ = made.type;
    count_ = made.count;
  };
  if (is_predefined_type(datatype_)) {
    const Guard guard;
    Kept& entry = kept[place_of(shape, count_, datatype_, in_blocks)];
    if (guard.has() && entry.fits(shape, count_, datatype_, in_blocks)) {
      entry.users.fetch_add(1, std::memory_order_relaxed);  // under the lock
      kept_ = &entry;
      return take(entry.made);
    }
    // ORDER kept.users: acquire here, release in let_go; the type is in use no more.
    if (guard.has() && entry.users.load(std::memory_order_acquire) == 0 && can_keep()) {
      const Made made = make_own();
      if (reason_) return;
      if (entry.made.type) PMPI_Type_free(&entry.made.type);
      entry.hold(shape, count_, datatype_, in_blocks, made);
      kept_ = &entry;
      return take(made);
    }
  }
  const Made made = make_own();
  if (reason_) return;
  own_ = true;
  take(made);
}

void Section::let_go() {
  if (own_) {
    PMPI_Type_free(&datatype_);  // operations that use it go on (MPI 5.0, 5.1.9)
    return;
  }
  // ORDER kept.users: release here, acquire in make.
  static_cast<Kept*>(kept_)->users.fetch_sub(1, std::memory_order_release);
}

void refuse(int error_class, const char* subject, const char* reason, Fint* ierror) {
  // Codes are never given back, so each text gets one.
  static auto* codes = new std::map<std::pair<const char*, const char*>, int>;
  int code = error_class;
  {
    static std::mutex lock;
    std::scoped_lock guard(lock);
    if (const auto known = codes->find({subject, reason}); known != codes->end()) {
      code = known->second;
    } else {
      char text[MPI_MAX_ERROR_STRING];
      std::snprintf(text, sizeof text, "%s %s", subject, reason);
      if (PMPI_Add_error_code(error_class, &code) == MPI_SUCCESS) PMPI_Add_error_string(code, text);
      codes->emplace(std::pair{subject, reason}, code);
    }
  }
  PMPI_Comm_call_errhandler(MPI_COMM_SELF, code);
  tell(ierror, code);
}

}  // namespace baton::fortran
