#include "datatype/contents.hpp"

#include <cstdlib>
#include <new>

#include "datatype/datatype.hpp"

namespace baton::datatype {

namespace {

// Allocates a record with space for the arrays, which lie behind it, the widest first. Null: no
// memory.
Contents* allocate(Exact integers, Exact wide, Exact types) {
  Exact bytes = Exact(sizeof(Contents)) + wide * sizeof(std::int64_t) + types * sizeof(Datatype*) +
                integers * sizeof(int);
  void* memory = bytes.fits() ? std::malloc(static_cast<std::size_t>(bytes.value())) : nullptr;
  if (!memory) return nullptr;
  auto* contents = new (memory) Contents;
  contents->wide = reinterpret_cast<std::int64_t*>(contents + 1);
  contents->types = reinterpret_cast<Datatype**>(contents->wide + wide.value());
  contents->integers = reinterpret_cast<int*>(contents->types + types.value());
  return contents;
}

}  // namespace

void retain_contents(Contents& contents) {
  // relaxed: whoever retains already holds a reference.
  contents.references.fetch_add(1, std::memory_order_relaxed);
}

Datatype* drop_contents(Contents* contents) {
  // ORDER contents.references: release by each, acquire by the last; all uses are over.
  if (!contents || contents->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return nullptr;
  std::int64_t last = contents->type_count - 1;
  for (std::int64_t i = 0; i < last; ++i) release(*contents->types[i]);
  Datatype* left = last >= 0 ? contents->types[last] : nullptr;
  std::free(contents);
  return left;
}

Recorder::~Recorder() {
  if (Datatype* left = drop_contents(contents_)) release(*left);
}

Recorder::Recorder(int combiner, CountForm form, const Arguments& arguments) {
  bool ints = form == CountForm::ints;
  contents_ =
      ints ? allocate(arguments.integers + arguments.counts, arguments.addresses, arguments.types)
           : allocate(arguments.integers, arguments.counts + arguments.addresses, arguments.types);
  if (!contents_) return;
  contents_->combiner = combiner;
  contents_->form = form;
}

Recorder& Recorder::count(std::int64_t number) {
  if (!contents_) return *this;
  if (contents_->form == CountForm::ints) return integer(static_cast<int>(number));
  return address(number);
}

Recorder& Recorder::address(std::int64_t number) {
  if (contents_) contents_->wide[contents_->wide_count++] = number;
  return *this;
}

Recorder& Recorder::integer(int number) {
  if (contents_) contents_->integers[contents_->integer_count++] = number;
  return *this;
}

Recorder& Recorder::type(Datatype& type) {
  if (!contents_) return *this;
  retain(type);
  contents_->types[contents_->type_count++] = &type;
  return *this;
}

}  // namespace baton::datatype
