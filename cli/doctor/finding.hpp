// This is a finding of `baton doctor` about one thing.
#pragma once

#include <string>

namespace baton::cli::doctor {

enum class Verdict { good, slower, bad, note };

struct Finding {
  Verdict verdict;
  std::string subject;
  std::string text;
  std::string remedy = {};  // how to mend it, if it is not good; some texts say that themselves
};

}  // namespace baton::cli::doctor
