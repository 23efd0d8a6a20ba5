#include "judgements/found_topics.h"

#include <mutex>

namespace prescope {

FoundTopics::FoundTopics(std::shared_ptr<JudgementSource> source, QrelsOptions options,
                         std::size_t most)
    : source_(std::move(source)), options_(std::move(options)), most_(most) {
  options_.family_map.clear();
  options_.families.reset();
  options_.family_source.reset();
  options_.collapses = false;
  options_.rule.clear();
}

std::optional<TopicIndex> FoundTopics::find_name(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TopicIndex> FoundTopics::find(std::string_view topic) const noexcept {
  try {
    if (const auto known = find_name(topic)) return known;
    return find_name(source_->name_of(topic));
  } catch (...) {  // memory ran out
    return std::nullopt;
  }
}

std::optional<TopicIndex> FoundTopics::look_up(std::string_view topic) noexcept {
  try {
    if (const auto known = find_name(topic)) return known;
    const std::string name = source_->name_of(topic);
    if (name.empty()) return std::nullopt;
    const std::lock_guard one_at_a_time(source_mutex_);
    if (const auto known = find_name(name)) return known;
    std::optional<JudgementSource::Judged> judged = source_->judge(name);
    if (!judged || judged->lines.empty()) return std::nullopt;
    return add(name, std::move(*judged));
  } catch (...) {
    ++failed_;
    return std::nullopt;
  }
}

Qrels FoundTopics::qrels_of(const JudgementSource::Judged& judged) const {
  QrelsOptions options = options_;
  if (options.docno == DocnoPolicy::kFamily) {
    options.families = judged.families;
    const bool has_any = judged.families != nullptr && !judged.families->empty();
    if (!has_any) options.docno = DocnoPolicy::kPatent;
  }
  return Qrels::from_lines(judged.lines, options);
}

namespace {

/// A member of a judged document's family is another name of that document.
std::vector<TopicQrels::Alias> aliases_of(const Qrels& qrels) {
  std::vector<TopicQrels::Alias> aliases;
  const FamilyMap* const families = qrels.docnos().families();
  if (families == nullptr) return aliases;
  for (const auto& [patent, family] : families->by_patent()) {
    if (const auto judgement = qrels.topics().front().find(family)) {
      aliases.push_back({patent, *judgement});
    }
  }
  return aliases;
}

}  // namespace

/// Whoever knows a position has it from `find`, so the place behind it was written before. All that
/// can throw comes first.
std::optional<TopicIndex> FoundTopics::add(const std::string& name,
                                           JudgementSource::Judged judged) {
  const TopicIndex index(static_cast<std::uint32_t>(size_));
  if (index.value() == most_) {
    ++without_room_;
    return std::nullopt;
  }
  const Qrels one = qrels_of(judged);
  const std::span<const Judgement> judgements = one.topics().front().judgements();
  TopicQrels topic(TopicId(name), {judgements.begin(), judgements.end()}, one.min_grade(),
                   aliases_of(one));
  auto& block = blocks_[index.value() / kBlock];
  if (block == nullptr) block = std::make_unique<Block>();
  FamilyIndex family(static_cast<std::uint32_t>(num_families_));
  if (!judged.family.empty()) family = families_.try_emplace(judged.family, family).first->second;
  if (family.value() == num_families_) ++num_families_;
  const std::unique_lock lock(mutex_);
  names_.emplace(name, index);
  totals_.add(topic);
  (*block)[index.value() % kBlock].emplace(
      Found{std::move(topic), std::move(judged.family), family});
  ++size_;
  return index;
}

}  // namespace prescope
