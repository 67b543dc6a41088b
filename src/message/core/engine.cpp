#include "message/core/engine.hpp"

namespace baton::message {

Engine engine;

}  // namespace baton::message
