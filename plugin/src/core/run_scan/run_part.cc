#include "core/run_scan/run_part.h"

#include <iterator>

#include "core/run_scan/docno_hash.h"

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

const char* behind_byte_order_mark(const char* text, const char* end) noexcept {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const bool has_it =
      std::string_view(text, static_cast<std::size_t>(end - text)).starts_with(kMark);
  return has_it ? text + kMark.size() : text;
}

}  // namespace prescope
