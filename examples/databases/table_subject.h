#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/suite.h"
#include "observed_table.h"

namespace prescope::conformance {

template <class Table>
class TableSearcher : public SubjectSearcher {
 public:
  TableSearcher(databases::ObservedSearcher<Table> searcher, const bool& broken)
      : searcher_(std::move(searcher)), broken_(broken) {}

  std::vector<ServedHit> search(const Request& request) override {
    return named(searcher_.search(query_of(request)));
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    return named(searcher_.table().search(query_of(request)));
  }

 private:
  [[nodiscard]] databases::Query query_of(const Request& request) const {
    using Order = databases::Query::Order;
    return {.text = request.word,
            .depth = broken_ ? 0 : request.depth,  // which the engine refuses
            .first_rank = request.first_rank,
            .order = request.order == Request::Order::kScore ? Order::kScore : Order::kDocno};
  }
  static std::vector<ServedHit> named(const std::vector<databases::Hit>& hits) {
    std::vector<ServedHit> served;
    for (const databases::Hit& hit : hits) served.push_back({hit.docno, hit.score});
    return served;
  }

  databases::ObservedSearcher<Table> searcher_;
  const bool& broken_;
};

/// A table, written through a connection of its own, as by an indexer beside the search service.
template <class Table>
class TableSubject : public Subject {
 public:
  [[nodiscard]] Traits traits() const override {
    // Each statement reads the newest commit. A docno is a value like any other.
    return {.docids = false, .keeps_generations = false, .docnos_can_fail = false};
  }
  void add(const std::vector<Doc>& docs) override {
    run("BEGIN");
    for (const Doc& doc : docs) {
      run("INSERT INTO patents VALUES (" + values(quoted(doc.docno), quoted(doc.text)) + ")");
    }
    run("COMMIT");
  }
  void remove(const std::string& docno) override {
    run("DELETE FROM patents WHERE docno = " + quoted(docno));
  }
  void break_engine() override { broken_ = true; }

  void watch(Experiment& experiment) override {
    observed_ = std::make_unique<databases::ObservedTable<Table>>(database(), experiment);
  }
  bool reopen() override { return observed_->reopen(); }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    return std::make_unique<TableSearcher<Table>>(observed_->searcher(arm), broken_);
  }

 protected:
  /// Runs a statement of the writer.
  virtual void run(const std::string& sql) = 0;
  /// Returns the values of a row.
  [[nodiscard]] virtual std::string values(const std::string& docno,
                                           const std::string& text) const = 0;
  /// Returns what a Table is made of.
  [[nodiscard]] virtual std::string database() const = 0;

 private:
  static std::string quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
  }

  std::unique_ptr<databases::ObservedTable<Table>> observed_;
  bool broken_ = false;
};

}  // namespace prescope::conformance
