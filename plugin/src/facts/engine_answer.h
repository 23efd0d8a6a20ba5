#pragma once

#include <simdjson.h>

#include "prescope/engine_answer.h"

namespace prescope {

/// The longest latency of a search, an hour.
inline constexpr std::uint64_t kLongestLatencyMs = 3'600'000;

/// Does what EngineAnswerReader does, with an answer that is parsed already. The docnos live as
/// long as the parsed answer.
[[nodiscard]] EngineAnswer read_engine_answer(simdjson::dom::element answer,
                                              const AnswerShape& shape);

}  // namespace prescope
