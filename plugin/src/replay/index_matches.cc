// Judged documents that the indexes of a replay lack.
#include <algorithm>
#include <map>
#include <set>

#include "judgements/match_report.h"
#include "judgements/patent_number.h"
#include "replay/replay.h"

namespace prescope {

namespace {

/// Returns each judged document once, ascending, as the qrels spell it.
std::vector<Docno> judged_documents(const Qrels& qrels) {
  std::vector<Docno> judged;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) judged.push_back(judgement.docno);
  }
  std::ranges::sort(judged, {}, &Docno::text);
  judged.erase(std::ranges::unique(judged).begin(), judged.end());
  return judged;
}

/// Judged documents that an arm's index has under another docno policy.
struct OtherDocuments {
  std::vector<bool> is_there{};           ///< empty if the engine cannot tell
  std::map<Docno, std::string> docnos{};  ///< how the index spells some of them
};

/// Opens the arm's index once more, under the policy of `qrels`. Spells documents that are not
/// `known` to be there.
OtherDocuments find_documents(Qrels qrels, const ReplayArm& arm, std::span<const Docno> docnos,
                              const std::vector<bool>& known) {
  constexpr std::size_t kMostSpelled = 20;  // of a series
  ExperimentOptions options;
  options.arms = {arm.config.id.text()};
  Experiment experiment(std::move(qrels), options);
  const ReplayIndexes indexes({&arm, 1}, experiment);
  const auto searchers = indexes.searchers();
  OtherDocuments others{.is_there = indexes.contains(0, docnos).value_or(std::vector<bool>())};
  std::map<SeriesId, std::size_t> spelled;
  for (std::size_t i = 0; i < others.is_there.size(); ++i) {
    if (known[i] || !others.is_there[i]) continue;
    if (++spelled[series_id(docnos[i].text())] > kMostSpelled) continue;
    if (const auto document = indexes.document(docnos[i])) {
      others.docnos.emplace(docnos[i], document->docno.text());
    }
  }
  return others;
}

/// Returns the keys under DocnoPolicy::kPatent of the documents that are there.
std::set<std::string> patents_found(const std::vector<Docno>& judged,
                                    const std::vector<bool>& is_there) {
  const DocnoNormalizer patents(DocnoPolicy::kPatent);
  std::set<std::string> found;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (is_there[i]) found.insert(patents.key(judged[i]));
  }
  return found;
}

/// Returns which of the documents that are not there are in the index in another form. A
/// publication of a patent that is judged and found is none.
OtherDocuments other_documents(const Qrels& qrels, const ReplayArm& arm,
                               const std::vector<Docno>& judged,
                               const std::vector<bool>& is_there) {
  if (qrels.docnos().policy() >= DocnoPolicy::kPatent) return {};
  OtherDocuments others =
      find_documents(under_policy(qrels, DocnoPolicy::kPatent), arm, judged, is_there);
  const std::set<std::string> found = patents_found(judged, is_there);
  const DocnoNormalizer patents(DocnoPolicy::kPatent);
  for (std::size_t i = 0; i < others.is_there.size(); ++i) {
    if (found.contains(patents.key(judged[i]))) others.is_there[i] = false;
  }
  return others;
}

/// Returns the report of the judged documents that the arm's index lacks. Opens it once more if a
/// coarser docno policy may find them. An engine that finds none cannot tell, unless it does then.
std::vector<std::string> index_match_report(const Qrels& qrels, const ReplayIndexes& indexes,
                                            std::size_t position, const ReplayArm& arm) {
  const std::vector<Docno> judged = judged_documents(qrels);
  const auto known = indexes.contains(position, judged);
  const std::vector<bool> is_there = known.value_or(std::vector<bool>(judged.size()));
  if (std::ranges::count(is_there, false) == 0) return {};
  const OtherDocuments others = other_documents(qrels, arm, judged, is_there);
  if (!known && std::ranges::count(others.is_there, true) == 0) return {};
  std::vector<JudgedMatch> matches;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    JudgedMatch& match =
        matches.emplace_back(JudgedMatch{.docno = judged[i].text(), .is_found = is_there[i]});
    if (match.is_found || others.is_there.empty() || !others.is_there[i]) continue;
    match.form = OtherForm::kPatent;
    const auto spelled = others.docnos.find(judged[i]);
    if (spelled != others.docnos.end()) match.other = spelled->second;
  }
  return match_report(series_matches(matches), MatchPlace::kIndex);
}

}  // namespace

std::vector<std::string> match_reports(const ReplayOptions& options, const Qrels& qrels,
                                       const ReplayIndexes& indexes) {
  std::vector<std::string> reports;
  std::set<std::pair<std::string, std::filesystem::path>> seen;
  const bool has_several = indexes.describe().size() > 1;
  for (std::size_t a = 0; a < options.arms.size(); ++a) {
    const ReplayArm& arm = options.arms[a];
    if (!seen.emplace(arm.engine, arm.index).second) continue;
    for (const std::string& sentence : index_match_report(qrels, indexes, a, arm)) {
      reports.push_back(has_several ? fmt::format("{}: {}", arm.index.string(), sentence)
                                    : sentence);
    }
  }
  return reports;
}

}  // namespace prescope
