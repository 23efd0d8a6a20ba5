#include "runs/scan/scattered_lines.h"

#include <algorithm>
#include <utility>

namespace prescope {

ScatteredLines::ScatteredLines(const Qrels& qrels,
                               std::vector<std::unique_ptr<ScatteredPart>> parts)
    : parts_(std::move(parts)), numbers_(qrels.topics().size() * parts_.size(), kNone) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto& topics = parts_[p]->topics.topics();
    for (std::uint32_t i = 0; i < topics.size(); ++i) {
      if (topics[i].index) numbers_[topics[i].index->value() * parts_.size() + p] = i;
    }
  }
  for (std::uint32_t topic = 0; topic < qrels.topics().size(); ++topic) {
    const auto of_topic = std::span(numbers_).subspan(topic * parts_.size(), parts_.size());
    const bool has_lines =
        std::ranges::any_of(of_topic, [](std::uint32_t number) { return number != kNone; });
    if (has_lines) topics_.emplace_back(topic);
  }
}

void ScatteredLines::copy(TopicIndex topic, std::vector<ScatteredLine>& lines) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::uint32_t number = numbers_[topic.value() * parts_.size() + p];
    if (number != kNone) parts_[p]->lines.copy(number, lines);
  }
}

}  // namespace prescope
