#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels.hpp"

namespace standin {

namespace {

using Bits = std::uint64_t;

float half_to_float(Bits half) {
  const auto bits = static_cast<std::uint16_t>(half);
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}
Bits float_to_half(float value) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
}

template <class T>
T number(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
Bits bits_of(T value) {
  Bits bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T compute(Code code, T a, T b) {
  return code == Code::add   ? static_cast<T>(a + b)
         : code == Code::sub ? static_cast<T>(a - b)
                             : static_cast<T>(a * b);
}
Bits computed(const Instruction& of, Bits a, Bits b) {
  if (of.type == 'f' && of.bits == 32)
    return bits_of(compute(of.code, number<float>(a), number<float>(b)));
  if (of.type == 'f') return bits_of(compute(of.code, number<double>(a), number<double>(b)));
  const Bits result = compute(of.code, a, b);
  return of.bits == 32 ? static_cast<std::uint32_t>(result) : result;
}

template <class T>
bool holds(Compare compare, T a, T b) {
  switch (compare) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::gt:
      return a > b;
    default:
      return a >= b;
  }
}
bool compared(const Instruction& of, Bits a, Bits b) {
  if (of.type == 'f')
    return of.bits == 32 ? holds(of.compare, number<float>(a), number<float>(b))
                         : holds(of.compare, number<double>(a), number<double>(b));
  if (of.type == 's')
    return of.bits == 32 ? holds(of.compare, number<std::int32_t>(a), number<std::int32_t>(b))
                         : holds(of.compare, number<std::int64_t>(a), number<std::int64_t>(b));
  return holds(of.compare, a, b);
}

class Thread {
 public:
  Thread(const Kernel& kernel, const Launch& launch, std::vector<Bits>& registers)
      : kernel_(kernel), launch_(launch), registers_(registers) {}

  bool run(std::uint32_t block, std::uint32_t block_y, std::uint32_t thread,
           std::uint32_t thread_y) {
    special_[0] = block;
    special_[1] = launch_.threads;
    special_[2] = thread;
    special_[3] = launch_.blocks;
    special_[4] = block_y;
    special_[5] = launch_.threads_y;
    special_[6] = thread_y;
    for (std::size_t at = 0;;) {
      const Instruction& now = kernel_.instructions[at];
      ++at;
      if (now.guard >= 0 && !registers_[static_cast<std::size_t>(now.guard)]) continue;
      if (now.code == Code::ret) return true;
      if (now.code == Code::bra)
        at = static_cast<std::size_t>(now.target);
      else if (!step(now))
        return false;
    }
  }

 private:
  Bits value(const Operand& operand) const {
    if (operand.reg >= 0) return registers_[static_cast<std::size_t>(operand.reg)];
    return operand.reg == -1 ? operand.value : special_[-2 - operand.reg];
  }
  char* place(const Instruction& of) const {
    const Bits address = value(of.operands[0]) + static_cast<Bits>(of.offset);
    const auto bytes = static_cast<Bits>(of.bits / 8);
    if (address % bytes) return nullptr;
    auto next = std::upper_bound(launch_.memory.begin(), launch_.memory.end(), address,
                                 [](Bits here, const Reachable& one) { return here < one.start; });
    if (next == launch_.memory.begin()) return nullptr;
    const Reachable& one = *std::prev(next);
    const Bits offset = address - one.start;
    return offset < one.bytes && one.bytes - offset >= bytes ? one.view + offset : nullptr;
  }
  bool step(const Instruction& now) {
    Bits result = 0;
    const Bits a = value(now.operands[0]);
    switch (now.code) {
      case Code::ld_param:
        result = launch_.arguments[static_cast<std::size_t>(now.offset)];
        break;
      case Code::ld_global: {
        const char* from = place(now);
        if (!from) return false;
        std::memcpy(&result, from, static_cast<std::size_t>(now.bits / 8));
        // Signed numbers are extended to their register.
        if (now.type == 's' && now.bits == 8)
          result = static_cast<std::uint32_t>(static_cast<std::int8_t>(result));
        if (now.type == 's' && now.bits == 16)
          result = static_cast<std::uint32_t>(static_cast<std::int16_t>(result));
        break;
      }
      case Code::st_global: {
        char* to = place(now);
        if (!to) return false;
        const Bits data = value(now.operands[1]);
        std::memcpy(to, &data, static_cast<std::size_t>(now.bits / 8));
        return true;
      }
      case Code::mov:
      case Code::cvta:
        result = a;
        break;
      case Code::cvt:
        result = now.type == 'u'  ? a
                 : now.bits == 16 ? float_to_half(number<float>(a))
                                  : bits_of(half_to_float(a));
        break;
      case Code::setp:
        result = compared(now, a, value(now.operands[1]));
        break;
      case Code::selp:
        result = value(now.operands[2]) ? a : value(now.operands[1]);
        break;
      case Code::bit_and:
        result = a & value(now.operands[1]);
        break;
      case Code::bit_or:
        result = a | value(now.operands[1]);
        break;
      case Code::bit_xor:
        result = a ^ value(now.operands[1]);
        break;
      case Code::mul_wide:
        result = a * value(now.operands[1]);
        break;
      default:
        result = computed(now, a, value(now.operands[1]));
    }
    registers_[static_cast<std::size_t>(now.to)] = result;
    return true;
  }

  const Kernel& kernel_;
  const Launch& launch_;
  std::vector<Bits>& registers_;
  Bits special_[7] = {};
};

}  // namespace

bool run_kernel(const Kernel& kernel, const Launch& launch) {
  std::vector<Bits> registers(static_cast<std::size_t>(kernel.registers));
  Thread runner(kernel, launch, registers);
  for (std::uint32_t block_y = 0; block_y < launch.blocks_y; ++block_y)
    for (std::uint32_t block = 0; block < launch.blocks; ++block)
      for (std::uint32_t thread_y = 0; thread_y < launch.threads_y; ++thread_y)
        for (std::uint32_t thread = 0; thread < launch.threads; ++thread)
          if (!runner.run(block, block_y, thread, thread_y)) return false;
  return true;
}

}  // namespace standin
