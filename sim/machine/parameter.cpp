#include "sim/machine/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace baton::model {

namespace {

constexpr const char* units[] = {"GB/s", "ns", "lines", "bytes"};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw std::runtime_error(fmt::format("parameter {}: {}", name, why));
}

std::string text_of(const Json& json, const std::string& name, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string() || found->get<std::string>().empty())
    refuse(name, fmt::format("has no \"{}\"", key));
  return found->get<std::string>();
}

double number_of(const Json& json, const std::string& name) {
  if (!json.is_number()) refuse(name, "is no number");
  const double number = json.get<double>();
  if (!(number > 0) || !std::isfinite(number)) refuse(name, "must be positive");
  return number;
}

Parameter parameter_of(const std::string& name, const Json& json) {
  if (!json.is_object()) refuse(name, "must be an object with value, unit and source");
  Parameter parameter;
  parameter.name = name;
  parameter.unit = text_of(json, name, "unit");
  if (std::find(std::begin(units), std::end(units), parameter.unit) == std::end(units))
    refuse(name, fmt::format("unit {}: there are {}", parameter.unit, fmt::join(units, ", ")));
  if (!json.contains("source"))
    refuse(name, "has no \"source\": a number without a reference is not used");
  parameter.source = text_of(json, name, "source");
  if (json.contains("words")) parameter.words = text_of(json, name, "words");
  if (json.contains("value") == json.contains("range"))
    refuse(name, "has either a \"value\" or, where none was found, a \"range\"");
  if (json.contains("value")) {
    parameter.value = parameter.low = parameter.high = number_of(json["value"], name);
  } else {
    const Json& range = json["range"];
    if (!range.is_array() || range.size() != 2) refuse(name, "its range has a low and a high end");
    parameter.low = number_of(range[0], name);
    parameter.high = number_of(range[1], name);
    if (parameter.low >= parameter.high) refuse(name, "its range is empty");
    parameter.value = std::sqrt(parameter.low * parameter.high);
  }
  return parameter;
}

}  // namespace

Parameters::Parameters(const Json& json) {
  if (!json.is_object()) throw std::runtime_error("\"parameters\" must be an object");
  for (const auto& [name, value] : json.items()) all_.push_back(parameter_of(name, value));
}

bool Parameters::has(const std::string& name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Parameter& p) { return p.name == name; });
}

const Parameter& Parameters::find(const std::string& name) const {
  for (const Parameter& parameter : all_)
    if (parameter.name == name) return parameter;
  throw std::runtime_error(fmt::format("there is no parameter {}", name));
}

void Parameters::set(const std::string& name, double value) {
  if (!(value > 0) || !std::isfinite(value)) refuse(name, "must be positive");
  (void)find(name);
  for (Parameter& parameter : all_)
    if (parameter.name == name) parameter.value = parameter.low = parameter.high = value;
}

void refuse_unknown(const Json& json, std::initializer_list<const char*> known) {
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw std::runtime_error(
          fmt::format("\"{}\" is unknown; there are {}", key, fmt::join(known, ", ")));
}

}  // namespace baton::model
