#include "datatype/elements.hpp"

#include "datatype/contents.hpp"
#include "datatype/exact.hpp"

namespace baton::datatype {

namespace {

struct NamedPair {
  MPI_Datatype pair, value, index;
};
const NamedPair named_pairs[] = {
    {MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
    {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
    {MPI_LONG_INT, MPI_LONG, MPI_INT},
    {MPI_2INT, MPI_INT, MPI_INT},
    {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
    {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
    {MPI_2REAL, MPI_REAL, MPI_REAL},
    {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
    {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
};

}  // namespace

bool is_pair(const Datatype& type) {
  return type.predefined && is_pair(type.element);
}

PairHalves pair_halves(const Datatype& type) {
  if (type.contents) return {type.contents->types[0], type.contents->types[1]};
  const NamedPair* row = named_pairs;
  while (row->pair != type.handle) ++row;
  return {datatypes.find(row->value), datatypes.find(row->index)};
}

Datatype* find_named_pair(const Datatype& value, const Datatype& index) {
  for (const NamedPair& row : named_pairs)
    if (row.value == value.handle && row.index == index.handle) return datatypes.find(row.pair);
  return nullptr;
}

std::int64_t child_count(const Datatype& type) {
  if (is_pair(type)) return 2;
  return type.contents->combiner == MPI_COMBINER_STRUCT ? type.contents->type_count : 1;
}

Child child_at(const Datatype& type, std::int64_t index) {
  if (is_pair(type)) {
    PairHalves halves = pair_halves(type);
    return {index == 0 ? halves.value : halves.index, 1};
  }
  const Contents& contents = *type.contents;
  const Datatype& child = *contents.types[index];
  if (contents.combiner != MPI_COMBINER_STRUCT)
    return {&child, child.size ? type.size / child.size : 0};
  ArgumentReader read(contents);
  read.count();
  return {&child, read.counts(contents.type_count)[index]};
}

std::int64_t elements_in(const Datatype& type, std::int64_t bytes) {
  std::int64_t counted = 0;
  const Datatype* at = &type;
  // Descends into the one child that is cut, past those that are whole.
  for (;;) {
    counted += bytes / at->size * at->elements;
    bytes %= at->size;
    if (bytes == 0) return counted;
    if (at->basic) {
      if (bytes % at->basic->size != 0) return -1;
      return counted + bytes / at->basic->size;
    }
    for (std::int64_t i = 0;; ++i) {
      Child child = child_at(*at, i);
      std::int64_t whole = child.count * child.type->size;
      if (bytes < whole) {
        at = child.type;
        break;
      }
      counted += child.count * child.type->elements;
      bytes -= whole;
    }
  }
}

std::int64_t bytes_of_elements(const Datatype& type, std::int64_t elements) {
  Exact bytes = 0;
  const Datatype* at = &type;
  for (;;) {
    bytes = bytes + Exact(elements / at->elements) * at->size;
    elements %= at->elements;
    if (elements == 0) break;
    if (at->basic) {
      bytes = bytes + Exact(elements) * at->basic->size;
      break;
    }
    for (std::int64_t i = 0;; ++i) {
      Child child = child_at(*at, i);
      std::int64_t whole = child.count * child.type->elements;
      if (elements < whole) {
        at = child.type;
        break;
      }
      bytes = bytes + Exact(child.count) * child.type->size;
      elements -= whole;
    }
  }
  return bytes.fits() ? bytes.value() : -1;
}

Error for_each_run(const Datatype& type, std::int64_t count, TakeRun take, void* taker) {
  if (count == 0 || type.size == 0) return MPI_SUCCESS;
  if (type.basic) return take(taker, *type.basic, count * type.elements);
  std::int64_t children = child_count(type);
  // There is one child alone: its repetitions within the elements and the elements form one row.
  if (children == 1) {
    Child child = child_at(type, 0);
    return for_each_run(*child.type, count * child.count, take, taker);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < children; ++k) {
      Child child = child_at(type, k);
      if (Error error = for_each_run(*child.type, child.count, take, taker)) return error;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace baton::datatype
