#pragma once

#include <span>
#include <vector>

#include "core/gate/changed_topics.h"

namespace prescope {

/// A rule about single topics, and the topics by which it fails.
struct CatastropheRule {
  GateVerdict::Rule rule{};
  std::vector<const ChangedTopic*> failing{};  ///< ascending by id; none where it holds
};

/// In the order in which they are told. Where no measure moves, all of them are skipped.
[[nodiscard]] std::vector<CatastropheRule> find_catastrophes(const GateSubject& subject,
                                                             std::span<const ChangedTopic> topics);

/// Nothing where there are no topics.
[[nodiscard]] std::optional<GateVerdict::Emptied> count_emptied(
    std::span<const ChangedTopic> topics);

}  // namespace prescope
