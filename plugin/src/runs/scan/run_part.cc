#include "runs/scan/run_part.h"

#include <iterator>

#include "runs/scan/docno_hash.h"

namespace prescope {

namespace {

constexpr std::size_t kNamesKept = 5;

}  // namespace

void UnjudgedTopics::add(std::string_view topic) {
  std::string name(topic);
  name.resize(topic.size() + kPadding);
  const bool is_new = hashes_.insert(hash_padded(name.data(), topic.size())).second;
  name.resize(topic.size());
  if (is_new) keep_name(std::move(name));
}

void UnjudgedTopics::add(const UnjudgedTopics& others) {
  hashes_.insert(others.hashes_.begin(), others.hashes_.end());
  for (const std::string& name : others.first_) keep_name(name);
}

void UnjudgedTopics::keep_name(std::string topic) {
  first_.insert(std::move(topic));
  if (first_.size() > kNamesKept) first_.erase(std::prev(first_.end()));
}

void UnjudgedTopics::list_in(RunFacts& facts) const {
  facts.unjudged_topics = hashes_.size();
  facts.unjudged.clear();
  for (const std::string& name : first_) facts.unjudged.emplace_back(name);
}

RunPart joined(std::vector<RunPart> parts) {
  RunPart all = std::move(parts.front());
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const auto shift = static_cast<std::uint32_t>(all.facts.retrieved.size());
    for (RunFacts::Topic topic : part->facts.topics) {
      topic.first_retrieved += shift;
      all.facts.topics.push_back(topic);
    }
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(all.facts.retrieved, part->facts.retrieved);
    append(all.facts.repeats, part->facts.repeats);
    if (part->facts.lines != 0) all.facts.tag = std::move(part->facts.tag);
    all.facts.lines += part->facts.lines;
    all.unjudged.add(part->unjudged);
    all.bad_lines.append(part->bad_lines, all.lines);
    all.lines += part->lines;
    all.interleaved = all.interleaved || part->interleaved;
  }
  return all;
}

const char* behind_byte_order_mark(const char* text, const char* end) noexcept {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const bool has_it =
      std::string_view(text, static_cast<std::size_t>(end - text)).starts_with(kMark);
  return has_it ? text + kMark.size() : text;
}

}  // namespace prescope
