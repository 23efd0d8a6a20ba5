#include "cli/must_find_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "prescope/error.h"
#include "prescope/qrels.h"

namespace prescope::cli {
namespace {

/// Citations as the evaluation has them; those it has not, as sentences.
class Matcher {
 public:
  Matcher(const EvaluationRecord& evaluation, const DocnoNormalizer& docnos)
      : evaluation_(&evaluation), docnos_(&docnos) {}

  void add(const TopicId& topic, const Judgement& judgement) {
    const auto& topics = evaluation_->topics;
    const auto at = std::ranges::lower_bound(topics, topic, {}, &EvaluationRecord::Topic::id);
    if (at == topics.end() || at->id != topic) {
      missing_.push_back(fmt::format("topic '{}' is not in the evaluation", topic.text()));
      return;
    }
    for (const EvaluationRecord::Found& found : at->found) {
      if (docnos_->key(found.docno) != judgement.key) continue;
      matched_.push_back({topic, found.docno});
      return;
    }
    missing_.push_back(
        fmt::format("topic '{}' did not find '{}' among its {} relevant documents, or it is none "
                    "of them",
                    topic.text(), judgement.docno.text(), at->num_rel));
  }

  [[nodiscard]] std::vector<MustFind> matched(const std::filesystem::path& path) && {
    if (missing_.empty()) return std::move(matched_);
    constexpr std::size_t kShown = 5;
    const std::size_t all = missing_.size();
    missing_.resize(std::min(all, kShown));
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: {} not found by the evaluation that is to be pinned, which only "
                            "relevant documents that it finds can be: {}{}",
                            path.string(),
                            all == 1 ? "1 citation is" : fmt::format("{} citations are", all),
                            fmt::join(missing_, "; "),
                            all > kShown ? fmt::format("; and {} more", all - kShown) : ""));
  }

 private:
  const EvaluationRecord* evaluation_;
  const DocnoNormalizer* docnos_;
  std::vector<MustFind> matched_;
  std::vector<std::string> missing_;
};

}  // namespace

std::vector<MustFind> load_must_find(const std::filesystem::path& path,
                                     const std::filesystem::path& family_map,
                                     const EvaluationRecord& evaluation) {
  if (evaluation.qrels.docno == DocnoPolicy::kFamily && family_map.empty()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--must-find: the evaluation matches docnos by family; name the map "
                            "with --family-map, to match those of {}",
                            path.string()));
  }
  const Qrels citations = Qrels::load(path, {.docno = evaluation.qrels.docno,
                                             .family_map = family_map,
                                             .min_grade = evaluation.qrels.min_grade});
  Matcher matcher(evaluation, citations.docnos());
  for (const TopicQrels& topic : citations.topics()) {
    for (std::uint32_t i = 0; i < topic.judgements().size(); ++i) {
      if (topic.is_relevant(JudgementIndex(i))) matcher.add(topic.id(), topic.judgements()[i]);
    }
  }
  return std::move(matcher).matched(path);
}

}  // namespace prescope::cli
