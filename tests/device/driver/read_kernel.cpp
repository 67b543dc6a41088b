#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>

#include "kernels.hpp"

namespace standin {

namespace {

struct Register {
  int number;
  char type;
  int bits;
};

struct Refusal {
  std::string why;
};
[[noreturn]] void refuse(const std::string& why) {
  throw Refusal{why};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::string part;
  std::istringstream in(text);
  while (std::getline(in, part, at)) parts.push_back(part);
  return parts;
}
std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

class Reader {
 public:
  explicit Reader(Kernel& kernel) : kernel_(kernel) {}

  void read(const char* text) {
    bool inside = false;
    for (std::string line : split(text, '\n')) {
      line = trimmed(line);
      if (line.empty()) continue;
      if (!inside && line == "{")
        inside = true;
      else if (!inside)
        read_directive(line);
      else if (line == "}")
        inside = false, ended_ = true;
      else
        read_statement(line);
    }
    if (!ended_ || kernel_.name.empty() || !has_version_ || !has_target_) refuse("incomplete");
    for (auto& [instruction, label] : branches_) {
      if (!labels_.count(label)) refuse("no label " + label);
      kernel_.instructions[instruction].target = labels_[label];
    }
    if (kernel_.instructions.empty() || kernel_.instructions.back().code != Code::ret)
      refuse("the end is no ret");
    kernel_.registers = static_cast<int>(count_);
  }

 private:
  void read_directive(const std::string& line) {
    if (line == ".version 6.0") return void(has_version_ = true);
    if (line == ".target sm_70") return void(has_target_ = has_version_);
    if (line == ".address_size 64") return;
    const std::string entry = ".visible .entry ";
    const auto open = line.find('(');
    if (line.rfind(entry, 0) != 0 || open == std::string::npos || line.back() != ')')
      refuse("unknown directive " + line);
    kernel_.name = line.substr(entry.size(), open - entry.size());
    for (const std::string& part : split(line.substr(open + 1, line.size() - open - 2), ',')) {
      const std::string parameter = trimmed(part), type = ".param .u64 ";
      if (parameter.rfind(type, 0) != 0) refuse("parameter " + parameter);
      parameters_[parameter.substr(type.size())] = kernel_.parameters++;
    }
  }

  void read_statement(std::string line) {
    if (line.back() == ':') {
      labels_[line.substr(0, line.size() - 1)] = static_cast<int>(kernel_.instructions.size());
      return;
    }
    if (line.back() != ';') refuse("no end of " + line);
    line.pop_back();
    if (line.rfind(".reg ", 0) == 0) return declare(line.substr(5));
    Instruction made;
    if (line[0] == '@') {
      const auto space = line.find(' ');
      made.guard = use(line.substr(1, space - 1), 'p', 1);
      line = trimmed(line.substr(space));
    }
    const auto space = line.find(' ');
    std::vector<std::string> operands;
    if (space != std::string::npos)
      for (const std::string& part : split(line.substr(space), ','))
        operands.push_back(trimmed(part));
    read_instruction(split(line.substr(0, space), '.'), operands, made);
    kernel_.instructions.push_back(made);
  }

  void declare(const std::string& line) {
    const auto space = line.find(' ');
    char type;
    int bits;
    type_of(line.substr(1, space - 1), type, bits);
    for (const std::string& part : split(line.substr(space), ',')) {
      const std::string name = trimmed(part);
      const auto many = name.find('<');
      if (name[0] != '%') refuse("register " + name);
      const int count = many == std::string::npos ? 0 : std::atoi(name.c_str() + many + 1);
      if (count == 0) add(name, type, bits);
      for (int i = 0; i < count; ++i) add(name.substr(0, many) + std::to_string(i), type, bits);
    }
  }
  void add(const std::string& name, char type, int bits) {
    if (!registers_.emplace(name, Register{static_cast<int>(count_), type, bits}).second)
      refuse("declared twice: " + name);
    ++count_;
  }

  static void type_of(const std::string& word, char& type, int& bits) {
    type = word.empty() ? 0 : word[0];
    bits = word == "pred" ? 1 : std::atoi(word.c_str() + 1);
    if (word == "pred") return void(type = 'p');
    const bool known = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    const bool is_type = std::string("bsuf").find(type) != std::string::npos;
    if (!known || !is_type || (type == 'f' && bits == 8)) refuse("type " + word);
  }

  // Finds a register for an operand of a type. Those of bits take integers, and floating-point ones
  // their own type or bits.
  int use(const std::string& name, char type, int bits, bool may_be_wider = false) {
    const auto found = registers_.find(name);
    if (found == registers_.end()) refuse("undeclared register " + name);
    const Register& reg = found->second;
    const bool fits = reg.type == type || reg.type == 'b' || type == 'b';
    const bool mixed = (reg.type == 'b' && type == 'f') || (reg.type == 'p') != (type == 'p');
    if (!fits || mixed || (may_be_wider ? reg.bits < bits : reg.bits != bits))
      refuse("register " + name + " does not fit");
    return reg.number;
  }
  Operand operand(const std::string& word, char type, int bits) {
    Operand made;
    if (word.empty()) refuse("an operand is missing");
    if (word[0] == '%' && registers_.count(word)) {
      made.reg = use(word, type, bits);
    } else if (word[0] == '%') {
      static const char* const special[] = {"%ctaid.x", "%ntid.x", "%tid.x", "%nctaid.x",
                                            "%ctaid.y", "%ntid.y", "%tid.y"};
      for (int i = 0; i < 7; ++i)
        if (word == special[i]) made.reg = -2 - i;
      if (made.reg == -1) refuse("register " + word);
    } else {
      char* end;
      made.value = std::strtoull(word.c_str(), &end, 10);
      if (*end || type == 'f') refuse("constant " + word);
    }
    return made;
  }
  // [%register+offset]
  void address(const std::string& word, Instruction& made, int which) {
    const auto plus = word.find('+');
    if (word.size() < 4 || word.front() != '[' || word.back() != ']' || plus == std::string::npos)
      refuse("address " + word);
    made.operands[which].reg = use(word.substr(1, plus - 1), 'b', 64);
    made.offset = std::atol(word.c_str() + plus + 1);
  }

  static void expect(const std::vector<std::string>& operands, std::size_t count) {
    if (operands.size() != count) refuse("number of operands");
  }

  void read_instruction(const std::vector<std::string>& words, const std::vector<std::string>& at,
                        Instruction& made) {
    const std::string& name = words[0];
    if (name == "ret") return expect(at, 0);
    if (words.size() < 2 && name != "bra") refuse(name);
    if (name == "bra") {
      expect(at, 1);
      made.code = Code::bra;
      branches_.emplace_back(kernel_.instructions.size(), at[0]);
      return;
    }
    type_of(words.back(), made.type, made.bits);
    if (name == "ld" || name == "st") return read_move(words, at, made);
    if (name == "setp") return read_compare(words, at, made);
    if (name == "cvt" || name == "cvta") return read_conversion(words, at, made);
    read_arithmetic(words, at, made);
  }

  void read_move(const std::vector<std::string>& words, const std::vector<std::string>& at,
                 Instruction& made) {
    expect(at, 2);
    if (words.size() != 3) refuse(words[0]);
    if (words[1] == "param" && words[0] == "ld") {
      const std::string name = at[1].substr(1, at[1].size() - 2);
      if (!parameters_.count(name) || made.bits != 64) refuse("parameter " + at[1]);
      made.code = Code::ld_param;
      made.offset = parameters_[name];
      made.to = use(at[0], made.type, made.bits);
      return;
    }
    if (words[1] != "global") refuse("space " + words[1]);
    const bool loads = words[0] == "ld";
    made.code = loads ? Code::ld_global : Code::st_global;
    address(at[loads ? 1 : 0], made, 0);
    // Registers may be wider than what is loaded or stored.
    const int data = use(at[loads ? 0 : 1], made.type, made.bits, true);
    (loads ? made.to : made.operands[1].reg) = data;
  }

  void read_compare(const std::vector<std::string>& words, const std::vector<std::string>& at,
                    Instruction& made) {
    expect(at, 3);
    static const std::map<std::string, Compare> known = {{"eq", Compare::eq},
                                                         {"ne", Compare::ne},
                                                         {"lt", Compare::lt},
                                                         {"gt", Compare::gt},
                                                         {"ge", Compare::ge}};
    if (words.size() != 3 || !known.count(words[1]) || made.type == 'b') refuse("setp");
    made.code = Code::setp;
    made.compare = known.at(words[1]);
    made.to = use(at[0], 'p', 1);
    made.operands[0] = operand(at[1], made.type, made.bits);
    made.operands[1] = operand(at[2], made.type, made.bits);
  }

  void read_conversion(const std::vector<std::string>& words, const std::vector<std::string>& at,
                       Instruction& made) {
    expect(at, 2);
    if (words[0] == "cvta") {
      if (words.size() != 4 || words[1] != "to" || words[2] != "global" || made.bits != 64)
        refuse("cvta");
      made.code = Code::cvta;
      made.to = use(at[0], made.type, 64);
      made.operands[0] = operand(at[1], made.type, 64);
      return;
    }
    made.code = Code::cvt;
    made.from_bits = made.bits;
    const char from = made.type;
    type_of(words[words.size() - 2], made.type, made.bits);
    const bool rounds = words.size() == 4 && words[1] == "rn";
    const bool narrows = from == 'f' && made.bits == 16 && made.from_bits == 32;
    const bool widens = from == 'f' && made.bits == 32 && made.from_bits == 16;
    const bool extends = from == 'u' && made.type == 'u' && made.bits == 64 && made.from_bits == 32;
    if (!(narrows && rounds) && !((widens || extends) && words.size() == 3)) refuse("cvt");
    // Halves lie in registers of 16 bits without a type.
    made.to = use(at[0], narrows ? 'b' : made.type, made.bits);
    made.operands[0] = operand(at[1], widens ? 'b' : from, made.from_bits);
  }

  void read_arithmetic(const std::vector<std::string>& words, const std::vector<std::string>& at,
                       Instruction& made) {
    static const std::map<std::string, Code> known = {
        {"add", Code::add},     {"sub", Code::sub},   {"mul", Code::mul},     {"mov", Code::mov},
        {"and", Code::bit_and}, {"or", Code::bit_or}, {"xor", Code::bit_xor}, {"selp", Code::selp}};
    const std::string& name = words[0];
    if (!known.count(name)) refuse("unknown instruction " + name);
    made.code = known.at(name);
    const std::string mode = words.size() == 3 ? words[1] : "";
    const bool computes = name == "add" || name == "sub" || name == "mul";
    const bool is_real = made.type == 'f';
    // Without the rounding, drivers may fuse a multiplication with an addition.
    const std::string wanted = computes && is_real ? "rn" : name == "mul" ? "lo" : "";
    const bool wide = name == "mul" && mode == "wide" && made.type == 'u' && made.bits == 32;
    if (words.size() > 3 || (mode != wanted && !wide) || (computes && made.type == 'b') ||
        (name[0] != 'm' && !computes && name != "selp" && made.type != 'b' && made.type != 'p'))
      refuse(name);
    if (wide) made.code = Code::mul_wide;
    const std::size_t count = name == "mov" ? 1 : name == "selp" ? 3 : 2;
    expect(at, count + 1);
    made.to = wide ? use(at[0], 'u', 64) : use(at[0], made.type, made.bits);
    for (std::size_t i = 0; i < count; ++i)
      made.operands[i] = i == 2 ? operand(at[3], 'p', 1) : operand(at[i + 1], made.type, made.bits);
  }

  Kernel& kernel_;
  std::map<std::string, Register> registers_;
  std::map<std::string, int> parameters_, labels_;
  std::vector<std::pair<std::size_t, std::string>> branches_;
  std::size_t count_ = 0;
  bool ended_ = false, has_version_ = false, has_target_ = false;
};

}  // namespace

std::string read_kernel(const char* text, Kernel& kernel) {
  try {
    Reader(kernel).read(text);
    return "";
  } catch (const Refusal& refusal) {
    return refusal.why;
  }
}

}  // namespace standin
