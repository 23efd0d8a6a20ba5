#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/request_target.h"
#include "serve/site/source.h"

/// Documents about an experiment, made anew whenever they are asked for. Parameters are those of
/// `docs/http-json.md`; a bad one throws Error(kUsage).
namespace prescope::serve {

inline constexpr std::array<std::string_view, 8> kTopicsParameters = {
    "measure", "a", "b", "sort", "order", "page", "size", "search"};
[[nodiscard]] std::string topics_document(Source& source, const Parameters& parameters);

inline constexpr std::array<std::string_view, 1> kSweepParameters = {"count"};
[[nodiscard]] std::string sweep_document(Source& source, const Parameters& parameters);

/// Draws judgements away and tests two arms again.
inline constexpr std::array<std::string_view, 4> kRobustnessParameters = {"a", "b", "unknown",
                                                                          "samples"};
[[nodiscard]] std::string robustness_document(Source& source, const Parameters& parameters);

/// Returns nothing for a topic that is not there. `shown`: the topic's id as documents show it.
[[nodiscard]] std::optional<std::string> topic_document(Source& source, const std::string& shown);
/// Returns the most similar id of a topic that was seen; empty if none was.
[[nodiscard]] std::string nearest_topic(Source& source, std::string_view shown);

}  // namespace prescope::serve
