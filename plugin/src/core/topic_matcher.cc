#include "prescope/topic_matcher.h"

#include <fmt/format.h>

#include "core/text_table.h"
#include "core/topics.h"
#include "prescope/error.h"

namespace prescope {
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
