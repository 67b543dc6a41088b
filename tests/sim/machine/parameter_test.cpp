#include "sim/machine/parameter.hpp"

#include <gtest/gtest.h>

namespace baton::model {
namespace {

std::string refusal_of(const char* text) {
  try {
    Parameters parameters(Json::parse(text));
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(parameters, a_number_without_a_reference_is_refused) {
  EXPECT_EQ(refusal_of(R"({"core.lines": {"value": 10, "unit": "lines"}})"),
            "parameter core.lines: has no \"source\": a number without a reference is not used");
  EXPECT_NE(refusal_of(R"({"core.lines": {"value": 10, "unit": "lines", "source": ""}})"), "");
  EXPECT_EQ(refusal_of(R"({"core.lines": {"value": 10, "unit": "lines", "source": "a page"}})"),
            "");
}

TEST(parameters, what_is_wrong_is_named) {
  EXPECT_EQ(refusal_of(R"({"a": {"value": 0, "unit": "ns", "source": "s"}})"),
            "parameter a: must be positive");
  EXPECT_EQ(refusal_of(R"({"a": {"value": "2", "unit": "ns", "source": "s"}})"),
            "parameter a: is no number");
  EXPECT_EQ(refusal_of(R"({"a": {"value": 2, "unit": "us", "source": "s"}})"),
            "parameter a: unit us: there are GB/s, ns, lines, bytes");
  EXPECT_EQ(refusal_of(R"({"a": {"unit": "ns", "source": "s"}})"),
            "parameter a: has either a \"value\" or, where none was found, a \"range\"");
  EXPECT_EQ(refusal_of(R"({"a": {"range": [3, 2], "unit": "ns", "source": "s"}})"),
            "parameter a: its range is empty");
  EXPECT_EQ(refusal_of(R"({"a": {"range": [3], "unit": "ns", "source": "s"}})"),
            "parameter a: its range has a low and a high end");
  EXPECT_EQ(refusal_of(R"({"a": 3})"),
            "parameter a: must be an object with value, unit and source");
}

TEST(parameters, one_that_was_not_found_is_its_range) {
  Parameters parameters(
      Json::parse(R"({"a": {"range": [4, 9], "unit": "ns", "source": "not found"}})"));
  EXPECT_DOUBLE_EQ(parameters["a"], 6);
  EXPECT_FALSE(parameters.all()[0].is_known());
  parameters.set("a", 5);
  EXPECT_DOUBLE_EQ(parameters["a"], 5);
  EXPECT_THROW(parameters.set("a", -1), std::runtime_error);
  EXPECT_THROW(parameters.set("b", 1), std::runtime_error);
}

}  // namespace
}  // namespace baton::model
