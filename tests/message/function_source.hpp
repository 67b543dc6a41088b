// A source of progress that is a function, and has nothing to say beside.
#pragma once

#include "message/core/progress_source.hpp"

namespace baton::message {

class FunctionSource final : public ProgressSource {
 public:
  constexpr explicit FunctionSource(bool (*function)()) : advance_(function) {}
  bool advance() override { return advance_(); }

 private:
  bool (*advance_)();
};

}  // namespace baton::message
