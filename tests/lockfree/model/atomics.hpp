// The checker's stand-in for lockfree::Hardware: same interface, every access a step of the
// explorer. An atomic is as large as its value, so that the structures keep their layout.
#pragma once

#include <cstring>

#include "tests/lockfree/model/explorer.hpp"

namespace baton::model {

struct Model {
  template <class T>
  class Atomic {
    static_assert(sizeof(T) <= 8);
    using Where = std::source_location;
    using Order = std::memory_order;

   public:
    T load(Order order, Where where = Where::current()) const {
      return run({.kind = Kind::load, .order = order, .where = where});
    }
    void store(T value, Order order, Where where = Where::current()) {
      run({.kind = Kind::store, .order = order, .operand = bits(value), .where = where});
    }
    T fetch_add(T value, Order order, Where where = Where::current()) {
      return run({.kind = Kind::add, .order = order, .operand = bits(value), .where = where});
    }
    T fetch_sub(T value, Order order, Where where = Where::current()) {
      return fetch_add(static_cast<T>(0 - value), order, where);
    }
    T fetch_or(T value, Order order, Where where = Where::current()) {
      return run({.kind = Kind::bit_or, .order = order, .operand = bits(value), .where = where});
    }
    T fetch_and(T value, Order order, Where where = Where::current()) {
      return run({.kind = Kind::bit_and, .order = order, .operand = bits(value), .where = where});
    }
    T exchange(T value, Order order, Where where = Where::current()) {
      return run({.kind = Kind::exchange, .order = order, .operand = bits(value), .where = where});
    }
    bool compare_exchange_strong(T& expected, T value, Order success, Order failure,
                                 Where where = Where::current()) {
      return compare_exchange(expected, value, success, failure, false, where);
    }
    bool compare_exchange_weak(T& expected, T value, Order success, Order failure,
                               Where where = Where::current()) {
      return compare_exchange(expected, value, success, failure, true, where);
    }

   private:
    static std::uint64_t bits(T value) {
      std::uint64_t all = 0;
      std::memcpy(&all, &value, sizeof value);
      return all;
    }
    static T from_bits(std::uint64_t all) {
      T value;
      std::memcpy(&value, &all, sizeof value);
      return value;
    }
    T run(Step step) const {
      step.address = this;
      step.bytes = sizeof(T);
      return from_bits(perform(step));
    }
    bool compare_exchange(T& expected, T value, Order success, Order failure, bool weak,
                          Where where) {
      Step step{.kind = Kind::compare_exchange,
                .address = this,
                .order = success,
                .failure_order = failure,
                .operand = bits(value),
                .expected = bits(expected),
                .weak = weak,
                .where = where};
      perform(step);
      if (!step.success) expected = from_bits(step.result);
      return step.success;
    }

    T storage_;  // never used: it makes the address and the size
  };

  static void full_fence(std::source_location where = std::source_location::current()) {
    Step step{.kind = Kind::fence, .order = std::memory_order_seq_cst, .where = where};
    perform(step);
  }
  static void store_payload(void* shared, const void* source, std::size_t bytes,
                            std::source_location where = std::source_location::current()) {
    plain_access(shared, bytes, true, where);
    std::memcpy(shared, source, bytes);
  }
  static void load_payload(void* target, const void* shared, std::size_t bytes,
                           std::source_location where = std::source_location::current()) {
    plain_access(shared, bytes, false, where);
    std::memcpy(target, shared, bytes);
  }
};

}  // namespace baton::model
