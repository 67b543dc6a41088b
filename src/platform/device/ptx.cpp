#include "platform/device/ptx.hpp"

#include <cstdarg>
#include <cstdio>
#include <initializer_list>

namespace baton::platform::cuda {

namespace {

// How a number is computed with in registers. Short integers are extended when they are loaded, and
// cut when they are stored; halves become floats in between, which rounds once.
struct Registers {
  const char* kind;        // of the register
  const char* arithmetic;  // type of instructions on it
};
Registers registers_of(DeviceNumber number) {
  switch (number) {
    case DeviceNumber::s64:
      return {"b64", "s64"};
    case DeviceNumber::u64:
      return {"b64", "u64"};
    case DeviceNumber::f16:
    case DeviceNumber::f32:
      return {"f32", "f32"};
    case DeviceNumber::f64:
      return {"f64", "f64"};
    case DeviceNumber::u8:
    case DeviceNumber::u16:
    case DeviceNumber::u32:
      return {"b32", "u32"};
    default:
      return {"b32", "s32"};
  }
}
const char* name_of(DeviceNumber number) {
  return device_number_names[static_cast<int>(number)];
}
bool is_real(DeviceNumber number) {
  return number >= DeviceNumber::f16;
}

// Lines of text, one behind the other. What does not fit is cut off, which the driver would refuse.
class Text {
 public:
  Text(char* text, std::size_t space) : at_(text), left_(space) {}
  [[gnu::format(printf, 2, 3)]] void line(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(at_, left_, format, arguments);
    va_end(arguments);
    if (length < 0 || static_cast<std::size_t>(length) + 2 > left_) return;
    at_ += length;
    left_ -= static_cast<std::size_t>(length) + 1;
    *at_++ = '\n';
    *at_ = 0;
  }

 private:
  char* at_;
  std::size_t left_;
};

// These are parts of the element in registers: %a0 and %a1 of the left operand, %b0 and %b1 of the
// right one, where the result stays.
void load(Text& text, DeviceNumber number, char side, int part, std::size_t offset) {
  const char* address = side == 'a' ? "%in" : "%inout";
  if (number == DeviceNumber::f16) {
    text.line("ld.global.b16 %%h, [%s+%zu];", address, offset);
    text.line("cvt.f32.f16 %%%c%d, %%h;", side, part);
  } else {
    text.line("ld.global.%s %%%c%d, [%s+%zu];", name_of(number), side, part, address, offset);
  }
}
void store(Text& text, DeviceNumber number, int part, std::size_t offset) {
  if (number == DeviceNumber::f16) {
    text.line("cvt.rn.f16.f32 %%h, %%b%d;", part);
    text.line("st.global.b16 [%%inout+%zu], %%h;", offset);
  } else {
    text.line("st.global.%s [%%inout+%zu], %%b%d;", name_of(number), offset, part);
  }
}

// Takes the left operand where a predicate holds.
void take_left(Text& text, DeviceNumber number, int part) {
  text.line("selp.%s %%b%d, %%a%d, %%b%d, %%p0;", registers_of(number).kind, part, part, part);
}

// Rounding is named, so that the driver fuses no multiplication with an addition.
void multiply_complex(Text& text, DeviceNumber number) {
  const char* type = name_of(number);
  text.line("mul.rn.%s %%c0, %%a0, %%b0;", type);
  text.line("mul.rn.%s %%c1, %%a1, %%b1;", type);
  text.line("sub.rn.%s %%c0, %%c0, %%c1;", type);
  text.line("mul.rn.%s %%c1, %%a0, %%b1;", type);
  text.line("mul.rn.%s %%b1, %%a1, %%b0;", type);
  text.line("add.rn.%s %%b1, %%c1, %%b1;", type);
  text.line("mov.%s %%b0, %%c0;", type);
}

void find_location(Text& text, const DeviceElement& element, const char* order) {
  const char* value = registers_of(element.first).arithmetic;
  text.line("setp.%s.%s %%p0, %%a0, %%b0;", order, value);
  text.line("setp.eq.%s %%p1, %%a0, %%b0;", value);
  text.line("setp.lt.%s %%p2, %%a1, %%b1;", registers_of(element.second).arithmetic);
  text.line("and.pred %%p1, %%p1, %%p2;");
  text.line("or.pred %%p0, %%p0, %%p1;");
  take_left(text, element.first, 0);
  take_left(text, element.second, 1);
}

void combine_truth(Text& text, DeviceNumber number, const char* how) {
  const Registers registers = registers_of(number);
  text.line("setp.ne.%s %%p0, %%a0, 0;", registers.arithmetic);
  text.line("setp.ne.%s %%p1, %%b0, 0;", registers.arithmetic);
  text.line("%s.pred %%p0, %%p0, %%p1;", how);
  text.line("selp.%s %%b0, 1, 0, %%p0;", registers.kind);
}

void combine(Text& text, DeviceOperation operation, const DeviceElement& element) {
  const DeviceNumber number = element.first;
  const Registers registers = registers_of(number);
  const char* rounding = is_real(number) ? ".rn" : "";
  switch (operation) {
    case DeviceOperation::sum:
      return text.line("add%s.%s %%b0, %%a0, %%b0;", rounding, registers.arithmetic);
    case DeviceOperation::product:
      if (element.second != DeviceNumber::none) return multiply_complex(text, number);
      return text.line("mul%s.%s %%b0, %%a0, %%b0;", is_real(number) ? ".rn" : ".lo",
                       registers.arithmetic);
    case DeviceOperation::maximum:
    case DeviceOperation::minimum:
      text.line("setp.%s.%s %%p0, %%a0, %%b0;", operation == DeviceOperation::maximum ? "gt" : "lt",
                registers.arithmetic);
      return take_left(text, number, 0);
    case DeviceOperation::logical_and:
      return combine_truth(text, number, "and");
    case DeviceOperation::logical_or:
      return combine_truth(text, number, "or");
    case DeviceOperation::logical_xor:
      return combine_truth(text, number, "xor");
    case DeviceOperation::bit_and:
      return text.line("and.%s %%b0, %%a0, %%b0;", registers.kind);
    case DeviceOperation::bit_or:
      return text.line("or.%s %%b0, %%a0, %%b0;", registers.kind);
    case DeviceOperation::bit_xor:
      return text.line("xor.%s %%b0, %%a0, %%b0;", registers.kind);
    case DeviceOperation::maximum_location:
      return find_location(text, element, "gt");
    case DeviceOperation::minimum_location:
      return find_location(text, element, "lt");
  }
}

// Each thread begins with the element of its number, and goes on in steps of as many as there are
// threads.
void begin_loop(Text& text, std::size_t bytes) {
  text.line("ld.param.u64 %%in, [in];");
  text.line("ld.param.u64 %%inout, [inout];");
  text.line("ld.param.u64 %%count, [count];");
  text.line("cvta.to.global.u64 %%in, %%in;");
  text.line("cvta.to.global.u64 %%inout, %%inout;");
  text.line("mov.u32 %%r0, %%ctaid.x;");
  text.line("mov.u32 %%r1, %%ntid.x;");
  text.line("mov.u32 %%r2, %%tid.x;");
  text.line("mov.u32 %%r3, %%nctaid.x;");
  text.line("mul.wide.u32 %%i, %%r0, %%r1;");
  text.line("cvt.u64.u32 %%x, %%r2;");
  text.line("add.u64 %%i, %%i, %%x;");
  text.line("mul.wide.u32 %%step, %%r3, %%r1;");
  text.line("mul.lo.u64 %%x, %%i, %zu;", bytes);
  text.line("add.u64 %%in, %%in, %%x;");
  text.line("add.u64 %%inout, %%inout, %%x;");
  text.line("mul.lo.u64 %%x, %%step, %zu;", bytes);
  text.line("NEXT:");
  text.line("setp.ge.u64 %%p0, %%i, %%count;");
  text.line("@%%p0 bra END;");
}
void end_loop(Text& text) {
  text.line("add.u64 %%i, %%i, %%step;");
  text.line("add.u64 %%in, %%in, %%x;");
  text.line("add.u64 %%inout, %%inout, %%x;");
  text.line("bra NEXT;");
  text.line("END:");
  text.line("ret;");
  text.line("}");
}

}  // namespace

void write_kernel_name(DeviceOperation operation, const DeviceElement& element,
                       char (&name)[kernel_name_bytes]) {
  const bool is_pair = element.second != DeviceNumber::none;
  std::snprintf(name, sizeof name, "baton_%s_%s%s%s",
                device_operation_names[static_cast<int>(operation)], name_of(element.first),
                is_pair ? "_" : "", name_of(element.second));
}

void write_kernel(DeviceOperation operation, const DeviceElement& element,
                  char (&text_of_kernel)[kernel_text_bytes]) {
  const bool is_pair = element.second != DeviceNumber::none;
  char name[kernel_name_bytes];
  write_kernel_name(operation, element, name);
  Text text(text_of_kernel, sizeof text_of_kernel);
  text.line(".version 6.0");
  text.line(".target sm_70");
  text.line(".address_size 64");
  text.line(".visible .entry %s(.param .u64 in, .param .u64 inout, .param .u64 count)", name);
  text.line("{");
  text.line(".reg .pred %%p<3>;");
  text.line(".reg .b16 %%h;");
  text.line(".reg .b32 %%r<4>;");
  text.line(".reg .b64 %%in, %%inout, %%count, %%i, %%step, %%x;");
  text.line(".reg .%s %%a0, %%b0, %%c<2>;", registers_of(element.first).kind);
  if (is_pair) text.line(".reg .%s %%a1, %%b1;", registers_of(element.second).kind);
  begin_loop(text, element.bytes());
  for (char side : {'a', 'b'}) {
    load(text, element.first, side, 0, 0);
    if (is_pair) load(text, element.second, side, 1, element.second_at());
  }
  combine(text, operation, element);
  store(text, element.first, 0, 0);
  if (is_pair) store(text, element.second, 1, element.second_at());
  end_loop(text);
}

}  // namespace baton::platform::cuda
