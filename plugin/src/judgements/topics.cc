#include "judgements/topics.h"

#include <fmt/format.h>
#include <unordered_map>

#include "base/json_lines.h"
#include "base/text_table.h"
#include "prescope/error.h"
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
    throw Error(
        ErrorCode::kBadInput,
        fmt::format("{}: no topics; expected an id and a text on each line", path.string()));
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
    for (std::string_view rest = line.substr(tab); !rest.empty();) {
      rest.remove_prefix(1);
      const auto end = std::min(rest.find('\t'), rest.size());
      text = joined(text, rest.substr(0, end));
      rest.remove_prefix(end);
    }
    topics.add(trimmed(line.substr(0, tab)), std::move(text), file);
  }
  return topics.take(path);
}

}  // namespace

std::vector<Topic> load_topics(const std::filesystem::path& path) {
  const std::string name = path.string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") ? load_json(path)
                                                                 : load_tab_separated(path);
}

namespace {

/// Texts on their way into a table, with what is wrong with them.
class TextList {
 public:
  explicit TextList(const Qrels& qrels) noexcept : qrels_(qrels) {}

  void add(const TopicId& id, std::string_view text) {
    const std::optional<TopicIndex> topic = qrels_.find(id.text());
    if (!topic) return;
    const TextTable::Added added = table_.add(*topic, text);
    if (added.fault != TextFault::kNone) {
      problems_.push_back(fmt::format("the text of topic '{}' {}", id.text(), words(added.fault)));
    } else if (added.empty) {
      problems_.push_back(fmt::format(
          "the text of topic '{}' has nothing but white space and characters without a width; "
          "give it a text or leave it out",
          id.text()));
    } else if (added.same_as != kUnjudgedTopic && added.same_as != *topic) {
      problems_.push_back(fmt::format(
          "topics '{}' and '{}' have the same text, so a query cannot tell which is meant; keep "
          "one of the two",
          qrels_.topic(added.same_as).id().text(), id.text()));
    }
  }

  /// Throws what is wrong as one error; `place` stands before it.
  TextTable take(std::string_view place) {
    if (problems_.empty()) return std::move(table_);
    throw Error(ErrorCode::kBadInput, fmt::format("{}: {}", place, fmt::join(problems_, "; ")));
  }

 private:
  static std::string words(TextFault fault) {
    return fault == TextFault::kNotUtf8
               ? "is not UTF-8; convert it"
               : fmt::format("has more than {} combining marks on one character; leave some out",
                             kMaxMarks);
  }

  const Qrels& qrels_;
  TextTable table_;
  std::vector<std::string> problems_;
};

}  // namespace

class TopicMatcher::Texts : public TextTable {
 public:
  explicit Texts(TextTable table) noexcept : TextTable(std::move(table)) {}
};

TopicMatcher::TopicMatcher(const Qrels& qrels, std::span<const Text> texts) {
  TextList list(qrels);
  for (const Text& text : texts) list.add(text.topic, text.text);
  texts_ = std::make_unique<const Texts>(list.take("topics"));
}

TopicMatcher TopicMatcher::load(const Qrels& qrels, const std::filesystem::path& topics) {
  TextList list(qrels);
  for (const Topic& topic : load_topics(topics)) list.add(topic.id, topic.text);
  TopicMatcher matcher(qrels, {});
  matcher.texts_ = std::make_unique<const Texts>(list.take(topics.string()));
  return matcher;
}

TopicMatcher::~TopicMatcher() = default;
TopicMatcher::TopicMatcher(TopicMatcher&&) noexcept = default;
TopicMatcher& TopicMatcher::operator=(TopicMatcher&&) noexcept = default;

TopicIndex TopicMatcher::find(std::string_view text) const noexcept { return texts_->find(text); }

std::size_t TopicMatcher::size() const noexcept { return texts_->size(); }

}  // namespace prescope
