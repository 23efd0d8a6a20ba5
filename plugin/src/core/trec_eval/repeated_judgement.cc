#include "core/trec_eval/repeated_judgement.h"

#include <set>
#include <utility>

#include "core/columns.h"
#include "core/text_file.h"

namespace prescope::trec_eval {

std::optional<RepeatedJudgement> find_repeated_judgement(const std::filesystem::path& qrels) {
  constexpr std::size_t kClefIp = 3, kWithExtra = 5;
  std::set<std::pair<TopicId, Docno>> judged;
  TextFile file(qrels);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const Columns columns = split_columns(line, kClefIp, kWithExtra);
    TopicId topic(columns.text[0]);
    Docno docno(columns.text[columns.count == kClefIp ? 1 : 2]);
    if (!judged.emplace(topic, docno).second) {
      return RepeatedJudgement{std::move(topic), std::move(docno), file.line_number()};
    }
  }
  return std::nullopt;
}

}  // namespace prescope::trec_eval
