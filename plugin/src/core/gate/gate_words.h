#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "prescope/types.h"

/// The figures in the sentences of a gate. No locale.
namespace prescope {

/// 0.998 as "99.8 %"; more digits next to, but not at, 0 and 100 %.
[[nodiscard]] std::string percent_words(double share);
/// A relative change with its sign: "-20.0 %".
[[nodiscard]] std::string relative_words(double change);
/// "1 topic", "3 topics".
[[nodiscard]] std::string counted_words(std::uint64_t count, std::string_view singular);
/// "T1, T2, T3 and 5 more".
[[nodiscard]] std::string listed_topics(std::span<const TopicId> topics);

}  // namespace prescope
