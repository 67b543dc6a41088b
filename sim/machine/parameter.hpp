// What is known of a machine that is modelled: numbers, each with its unit and with where it is
// published or how it was measured. One that was not found is a range, which studies sweep.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace baton::model {

using Json = nlohmann::ordered_json;

inline constexpr double bytes_in_gigabyte = 1e9, seconds_in_nanosecond = 1e-9;

struct Parameter {
  std::string name;
  double value = 0;  // of a range, its geometric middle
  double low = 0;    // the same as `value` where that is known
  double high = 0;
  std::string unit;
  std::string source;  // title or address, and the place in it; of a range, why there is no value
  std::string words;   // what stands there

  bool is_known() const { return low == high; }
};

// The numbers of one machine, by name, in the order of its file.
class Parameters {
 public:
  // From {"name": {"value" | "range", "unit", "source", "words"}, ...}. Throws std::runtime_error,
  // which names the parameter, for one without a reference, of another unit than `units` has for
  // it, or that is not positive.
  explicit Parameters(const Json& json);

  // Throws std::runtime_error where there is none.
  double operator[](const std::string& name) const { return find(name).value; }
  bool has(const std::string& name) const;
  const std::vector<Parameter>& all() const { return all_; }
  // Another value, as a study tries it. Throws like operator[], and for a value that is not
  // positive.
  void set(const std::string& name, double value);

 private:
  const Parameter& find(const std::string& name) const;

  std::vector<Parameter> all_;
};

// Throws std::runtime_error, with all names that there are, for one that is not among them.
void refuse_unknown(const Json& json, std::initializer_list<const char*> known);

}  // namespace baton::model
