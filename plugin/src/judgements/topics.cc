#include "judgements/topics.h"

#include "base/errors.h"
#include "base/hash.h"
#include "base/json_lines.h"
#include "prescope/topic_matcher.h"

namespace prescope {

namespace {

/// Topics in file order, each id once, each with text.
class TopicList {
 public:
  void add(std::string_view id, std::string text, const TextFile& file) {
    if (id.empty()) throw file.bad_line("a topic without id; give it the id that the qrels use");
    if (text.empty()) throw file.bad_line(fmt::format("topic '{}' has no text", id));
    const auto [first, added] = lines_.try_emplace(std::string(id), file.line_number());
    if (!added) {
      throw file.bad_line(
          fmt::format("topic '{}' is already in line {}; keep one of the two", id, first->second));
    }
    topics_.push_back({TopicId(id), std::move(text)});
  }

  std::vector<Topic> take(const std::filesystem::path& path) {
    if (!topics_.empty()) return std::move(topics_);
    throw bad_input_error("{}: no topics; expected an id and a text on each line", path.string());
  }

 private:
  std::vector<Topic> topics_;
  std::unordered_map<std::string, std::uint64_t> lines_;
};

std::string joined(std::string_view first, std::string_view second) {
  std::string text(trimmed(first));
  if (!text.empty() && !trimmed(second).empty()) text += ' ';
  return text += trimmed(second);
}

std::vector<Topic> load_json(const std::filesystem::path& path) {
  TopicList topics;
  JsonLines lines(path);
  for (JsonLines::Object object; lines.next(object);) {
    std::string_view id, text, title, abstract;
    for (const auto [key, value] : object) {
      if (key == "id") id = lines.as_name(key, lines.string(key, value));
      if (key == "text") text = lines.string(key, value);
      if (key == "title") title = lines.string(key, value);
      if (key == "abstract") abstract = lines.string(key, value);
    }
    topics.add(id, trimmed(text).empty() ? joined(title, abstract) : joined(text, {}),
               lines.file());
  }
  return topics.take(path);
}

std::vector<Topic> load_tab_separated(const std::filesystem::path& path) {
  TopicList topics;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty()) continue;
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) {
      throw file.bad_line("no tab; expected \"id<TAB>text\"");
    }
    std::string text;
    for (const std::string& part : split(line.substr(tab + 1), '\t')) text = joined(text, part);
    topics.add(trimmed(line.substr(0, tab)), std::move(text), file);
  }
  return topics.take(path);
}

}  // namespace

std::vector<Topic> load_topics(const std::filesystem::path& path) {
  return is_json_lines(path) ? load_json(path) : load_tab_separated(path);
}

namespace {

/// Returns whether `text` normalises to `normalized`.
bool is_same(std::string_view text, std::string_view normalized) noexcept {
  bool same = true;
  const TextFault fault = normalize(text, [&same, &normalized](std::string_view piece) {
    same = normalized.starts_with(piece);
    if (same) normalized.remove_prefix(piece.size());
    return same;
  });
  return fault == TextFault::kNone && same && normalized.empty();
}

/// Returns why a text cannot be matched, or an empty string.
std::string problem_of(TextFault fault, bool is_empty) {
  if (fault == TextFault::kNotUtf8) return "is not UTF-8; convert it";
  if (fault == TextFault::kTooManyMarks) {
    return fmt::format("has more than {} combining marks on one character; leave some out",
                       kMaxMarks);
  }
  if (!is_empty) return {};
  return "has nothing but white space and characters without a width; give it a text or leave it "
         "out";
}

/// Returns the topics by normalised text. Throws one error for all problems, prefixed with `place`.
template <class Texts>
std::map<std::string, TopicMatcher::Group> by_text(const Qrels& qrels, const Texts& texts,
                                                   std::string_view place) {
  std::map<std::string, TopicMatcher::Group> topics;
  std::vector<std::string> problems;
  for (const auto& [id, text] : texts) {
    const std::optional<TopicIndex> topic = qrels.find(id.text());
    if (!topic) continue;
    std::string normalized;
    const TextFault fault = normalize(text, [&normalized](std::string_view piece) {
      normalized += piece;
      return true;
    });
    if (const auto problem = problem_of(fault, normalized.empty()); !problem.empty()) {
      problems.push_back(fmt::format("the text of topic '{}' {}", id.text(), problem));
      continue;
    }
    TopicMatcher::Group& group = topics[std::move(normalized)];
    if (std::ranges::find(group, *topic) == group.end()) group.push_back(*topic);
  }
  if (problems.empty()) return topics;
  throw bad_input_error("{}: {}", place, fmt::join(problems, "; "));
}

}  // namespace

TopicMatcher::TopicMatcher(const TopicsByText& topics)
    : texts_(topics.begin(), topics.end()),
      slots_(static_cast<std::uint32_t>(texts_.size()),
             [this](std::uint32_t i) { return fnv_1a(texts_[i].first); }) {
  for (const auto& [text, topic] : texts_) longest_ = std::max(longest_, text.size());
}

TopicMatcher::TopicMatcher(const Qrels& qrels, std::span<const Text> texts)
    : TopicMatcher(by_text(qrels, texts, "topics")) {}

TopicMatcher TopicMatcher::load(const Qrels& qrels, const std::filesystem::path& topics) {
  return TopicMatcher(by_text(qrels, load_topics(topics), topics.string()));
}

/// The hash of the normalised pieces finds the candidate, comparison decides. Nothing is allocated.
TopicIndex TopicMatcher::find(std::string_view text) const noexcept {
  struct {
    std::uint64_t hash = kFnvOffset;
    std::size_t size = 0, longest = 0;
  } seen{.longest = longest_};
  const TextFault fault = normalize(text, [&seen](std::string_view piece) {
    seen.hash = fnv_1a(piece, seen.hash);
    seen.size += piece.size();
    return seen.size <= seen.longest;
  });
  if (fault != TextFault::kNone || seen.size > longest_) return kUnjudgedTopic;
  const std::uint32_t found =
      slots_.find(seen.hash, [&](std::uint32_t i) { return is_same(text, texts_[i].first); });
  return found == KeySlots::kNone ? kUnjudgedTopic : texts_[found].second.front();
}

std::vector<TopicMatcher::Group> TopicMatcher::shared_texts() const {
  std::vector<Group> groups;
  for (const auto& [text, group] : texts_) {
    if (group.size() > 1) groups.push_back(group);
  }
  return groups;
}

}  // namespace prescope
