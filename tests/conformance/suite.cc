#include "conformance/suite.h"

#include <algorithm>
#include <ostream>
#include <set>

namespace prescope::conformance {
namespace {

std::string words(std::uint32_t valves) {
  constexpr std::uint32_t kWords = 8;
  std::string text = valves > 0 ? "valve" : "pump";
  for (std::uint32_t word = 1; word < kWords; ++word) text += word < valves ? " valve" : " pump";
  return text;
}

}  // namespace

Conformance::Conformance() : traits_(GetParam().make()->traits()) {}

std::unique_ptr<Subject> Conformance::opened(const std::vector<Doc>& docs, Experiment& experiment) {
  auto subject = GetParam().make();
  subject->add(docs);
  subject->watch(experiment);
  return subject;
}

Watched::Citations valve_citations() {
  return {{"T1", "EP4"}, {"T1", "EP1"}, {"T1", "EP99"}, {"T2", "EP5"}};
}

std::vector<Doc> valves(std::uint32_t n) {
  std::vector<Doc> docs;
  for (std::uint32_t i = 1; i <= n; ++i) docs.push_back({"EP" + std::to_string(i), words(i)});
  return docs;
}

std::vector<Doc> served_in_order(const std::vector<std::string>& docnos) {
  std::vector<Doc> docs;
  auto valves = static_cast<std::uint32_t>(docnos.size());
  for (const std::string& docno : docnos) docs.push_back({docno, words(valves--)});
  return docs;
}

std::vector<ServedHit> search_for(Experiment& experiment, std::string_view topic,
                                  SubjectSearcher& searcher, const Request& request,
                                  std::string_view key) {
  const QueryScope scope(experiment, TopicId(topic), {.key = key});
  return searcher.search(request);
}

std::vector<JudgedHit> judged_among(const Experiment& experiment, std::string_view topic,
                                    const std::vector<ServedHit>& served) {
  const TopicQrels& judged = experiment.qrels().topic(experiment.qrels().find(topic).value());
  std::vector<JudgedHit> hits;
  std::set<JudgementIndex> found;
  for (std::size_t i = 0; i < served.size(); ++i) {
    const std::string key = experiment.qrels().docnos().key(Docno{served[i].docno});
    const auto judgement = judged.find(key);
    if (!judgement || !found.insert(*judgement).second) continue;
    hits.push_back({static_cast<Rank>(i + 1), *judgement});
  }
  return hits;
}

std::optional<double> mean_of(const Summary& summary, std::string_view arm,
                              std::string_view measure) {
  for (const ArmSummary& one : summary.arms) {
    if (one.id.text() != arm) continue;
    for (const MeasureMean& mean : one.means) {
      if (mean.measure.name() == measure) return mean.mean;
    }
  }
  ADD_FAILURE() << "the experiment keeps no " << measure << " of an arm " << arm;
  return std::nullopt;
}

void PrintTo(const NamedSubject& subject, std::ostream* out) { *out << subject.name; }

void PrintTo(const ServedHit& hit, std::ostream* out) {
  *out << "{" << hit.docno << ", " << hit.score << "}";
}

std::string name_of(const testing::TestParamInfo<NamedSubject>& info) { return info.param.name; }

}  // namespace prescope::conformance
