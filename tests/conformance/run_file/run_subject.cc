#include "conformance/run_file/run_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "conformance/run_file/run_folder.h"
#include "prescope/run_file/observed_run.h"

namespace prescope::conformance {
namespace {

/// One document of a word's ranking: those that contain the word more often come first, then, as
/// trec_eval orders a run, by docno descending.
struct Counted {
  std::uint32_t count = 0;
  std::string docno;
  friend auto operator<=>(const Counted&, const Counted&) = default;
};
using Rankings = std::map<std::string, std::vector<Counted>>;

Rankings rankings_of(const std::vector<Doc>& docs) {
  Rankings rankings;
  for (const Doc& doc : docs) {
    std::map<std::string, std::uint32_t> counts;
    std::istringstream words(doc.text);
    for (std::string word; words >> word;) ++counts[word];
    for (const auto& [word, count] : counts) rankings[word].push_back({count, doc.docno});
  }
  for (auto& [word, ranking] : rankings) std::ranges::sort(ranking, std::greater<>());
  return rankings;
}

/// Lines in an order that is not the ranking, so that the scores must make it.
std::string run_of(const Rankings& rankings) {
  // A run without any ranking is refused, so an empty index needs one too. No text has this word.
  std::string lines = "(nothing)\tQ0\tEP0\t1\t1\tsubject\n";
  for (const auto& [word, ranking] : rankings) {
    for (auto hit = ranking.rbegin(); hit != ranking.rend(); ++hit) {
      lines += fmt::format("{}\tQ0\t{}\t1\t{}\tsubject\n", word, hit->docno, hit->count);
    }
  }
  return lines;
}

class RunSubjectSearcher : public SubjectSearcher {
 public:
  RunSubjectSearcher(run_file::RunSearcher searcher, std::shared_ptr<const Rankings> rankings)
      : searcher_(std::move(searcher)), rankings_(std::move(rankings)) {}

  std::vector<ServedHit> search(const Request& request) override {
    std::vector<ServedHit> hits;
    for (const std::string_view docno : searcher_.serve(
             {.topic = request.word, .depth = request.depth, .first_rank = request.first_rank})) {
      hits.push_back({.docno = std::string(docno)});
    }
    return hits;
  }
  /// Computed from the written lines, without reading the run.
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    std::vector<std::string_view> served;
    const auto found = rankings_->find(request.word);
    if (found != rankings_->end()) {
      const std::vector<Counted>& ranking = found->second;
      for (std::size_t i = request.first_rank - 1; i < ranking.size(); ++i) {
        if (served.size() == request.depth) break;
        served.emplace_back(ranking[i].docno);
      }
    }
    std::vector<ServedHit> hits;
    for (const std::string_view docno : served) hits.push_back({.docno = std::string(docno)});
    return hits;
  }

 private:
  run_file::RunSearcher searcher_;
  std::shared_ptr<const Rankings> rankings_;
};

/// Rankings in memory, without a time of their own, can be neither slow nor unreadable.
class RunSubject : public Subject {
 public:
  [[nodiscard]] Traits traits() const override {
    // A look-up in memory cannot fail, and a run whose docnos cannot be read is not opened.
    return {.docids = false,
            .sorts = false,
            .timed = false,
            .engine_can_fail = false,
            .docnos_can_fail = false};
  }
  void add(const std::vector<Doc>& docs) override {
    docs_.insert(docs_.end(), docs.begin(), docs.end());
    commit();
  }
  void remove(const std::string& docno) override {
    std::erase_if(docs_, [&](const Doc& doc) { return doc.docno == docno; });
    commit();
  }
  void compact() override { commit(); }

  void watch(Experiment& experiment) override {
    observed_ = std::make_unique<run_file::ObservedRun>(folder_.path() / kFile, RunOrder::kTrec,
                                                        experiment);
    opened_ = committed_;
  }
  bool reopen() override {
    const bool changed = observed_->reopen();
    opened_ = committed_;
    return changed;
  }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    return std::make_unique<RunSubjectSearcher>(observed_->searcher(arm), opened_);
  }

 private:
  static constexpr const char* kFile = "subject.run";

  void commit() {
    committed_ = std::make_shared<const Rankings>(rankings_of(docs_));
    folder_.write(kFile, run_of(*committed_));
  }

  RunFolder folder_;
  std::vector<Doc> docs_;
  std::shared_ptr<const Rankings> committed_, opened_;
  std::unique_ptr<run_file::ObservedRun> observed_;
};

}  // namespace

std::unique_ptr<Subject> run_subject() { return std::make_unique<RunSubject>(); }

}  // namespace prescope::conformance
