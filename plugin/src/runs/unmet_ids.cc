#include "runs/unmet_ids.h"

#include <map>
#include <set>

#include "base/errors.h"
#include "base/text_file.h"
#include "base/unicode.h"
#include "runs/run_source.h"
#include "runs/scan/run_lines.h"

namespace prescope {

namespace {

constexpr std::string_view kQuotes[] = {"\"", "'", "“", "”", "„", "‘", "’", "«", "»"};

bool remove_quote(std::string_view& text) {
  for (const std::string_view quote : kQuotes) {
    if (text.size() <= quote.size()) continue;
    const bool at_begin = text.starts_with(quote);
    if (!at_begin && !text.ends_with(quote)) continue;
    at_begin ? text.remove_prefix(quote.size()) : text.remove_suffix(quote.size());
    return true;
  }
  return false;
}

/// Returns the characters of an id that can be told apart on a screen.
std::string visible_id(std::string_view id) {
  std::string visible;
  while (!id.empty() && remove_quote(id)) continue;
  const TextFault fault = normalize(id, [&](std::string_view piece) {
    std::ranges::copy_if(piece, std::back_inserter(visible), [](char c) { return c != ' '; });
    return true;
  });
  if (fault != TextFault::kNone) return std::string(id);
  std::string_view rest = visible;  // quotation marks behind characters without a width
  while (!rest.empty() && remove_quote(rest)) continue;
  return std::string(rest);
}

bool is_unusual(std::string_view id) {
  return std::ranges::any_of(
      id, [](char c) { return static_cast<unsigned char>(c) >= 0x80 || c == '"' || c == '\''; });
}

bool has_unusual_ids(const Qrels& qrels, const RunFacts& facts) {
  return facts.has_unusual_bytes || std::ranges::any_of(qrels.topics(), [](const auto& topic) {
           return is_unusual(topic.id().text()) ||
                  std::ranges::any_of(topic.judgements(), [](const Judgement& judgement) {
                    return is_unusual(judgement.docno.text());
                  });
         });
}

/// Topics and judged docnos, by what a reader sees of their names.
class VisibleQrels {
 public:
  explicit VisibleQrels(const Qrels& qrels) : qrels_(&qrels) {
    for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
      const TopicQrels& topic = qrels.topics()[i];
      topics_.emplace(visible_id(topic.id().text()), TopicIndex(i));
      for (const Judgement& judgement : topic.judgements()) {
        docnos_.emplace(std::pair(i, visible_id(judgement.docno.text())), &judgement);
      }
    }
  }

  void add(const RunLine& line, std::uint64_t number, UnmetIds& unmet) {
    const std::optional<TopicIndex> same = qrels_->find(without_mark(line.topic));
    const auto alike = same ? topics_.end() : topics_.find(visible_id(line.topic));
    if (!same && alike == topics_.end()) return;
    const TopicIndex topic = same ? *same : alike->second;
    const TopicQrels& judged = qrels_->topic(topic);
    DocnoBuffer buffer;
    const bool meets = judged.find(qrels_->docnos().key(line.docno, buffer)).has_value();
    if (same && meets) return;
    const auto docno = docnos_.find(std::pair(topic.value(), visible_id(line.docno)));
    if (!meets && docno == docnos_.end()) return;
    if (unmet.lines++ != 0) return;
    unmet.line = number;
    unmet.in_run = same ? line.docno : line.topic;
    unmet.in_qrels = same ? docno->second->docno.text() : judged.id().text();
  }

 private:
  const Qrels* qrels_;
  std::unordered_map<std::string, TopicIndex> topics_;
  std::map<std::pair<std::uint32_t, std::string>, const Judgement*> docnos_;
};

/// "EP1<U+00A0>": every character that a screen may not show has its code.
std::string with_codes(std::string_view id) {
  std::string text;
  while (!id.empty()) {
    const auto [bytes, code] = take_character(id);
    const bool is_plain = code > ' ' && code < 0x7F;
    text += is_plain ? std::string(bytes) : fmt::format("<U+{:04X}>", std::max(code, 0));
  }
  return text;
}

}  // namespace

bool cannot_compare_ids(const Qrels& qrels, const RunFacts& facts) {
  return has_unusual_ids(qrels, facts) && !can_be_reopened(facts);
}

std::optional<UnmetIds> find_unmet_ids(const Qrels& qrels, const RunFacts& facts) {
  if (!has_unusual_ids(qrels, facts)) return std::nullopt;
  const auto file = reopened(facts);
  if (file == nullptr) return std::nullopt;
  VisibleQrels visible(qrels);
  UnmetIds unmet;
  RunLines lines(*file);
  for (RunLine line; lines.next(line);) visible.add(line, lines.count(), unmet);
  return unmet.lines > 0 ? std::optional(unmet) : std::nullopt;
}

std::string unmet_ids_words(const UnmetIds& ids) {
  return fmt::format(
      "{} would find a judged document if ids that look the same were the same; the first is line "
      "{}: '{}' in the run, '{}' in the qrels; write both in one way",
      ids.lines == 1 ? "1 line" : fmt::format("{} lines", ids.lines), ids.line,
      with_codes(ids.in_run), with_codes(ids.in_qrels));
}

}  // namespace prescope
