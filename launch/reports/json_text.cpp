#include "launch/reports/json_text.hpp"

#include <nlohmann/json.hpp>

namespace baton::launch {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace baton::launch
