#include "conformance/xapian/xapian_subject.h"

#include <optional>
#include <thread>
#include <utility>

#include "conformance/xapian/database_folder.h"
#include "conformance/xapian/database_server.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::conformance {
namespace {

template <class Enquire>
Xapian::MSet ask(Enquire& enquire, const Request& request) {
  enquire.set_query(Xapian::Query(request.word));
  if (request.order == Request::Order::kDocno) {
    enquire.set_sort_by_value(0, false);
  } else {
    enquire.set_sort_by_relevance();
  }
  return enquire.get_mset(request.first_rank - 1, request.depth);
}

std::vector<ServedHit> hits_of(const Xapian::MSet& served) {
  std::vector<ServedHit> hits;
  for (auto hit = served.begin(); hit != served.end(); ++hit) {
    hits.push_back({hit.get_document().get_data(), hit.get_weight()});
  }
  return hits;
}

/// Sleeps in the middle of a search, at each document.
class SlowSpy : public Xapian::MatchSpy {
 public:
  explicit SlowSpy(std::chrono::milliseconds delay) : delay_(delay) {}
  void operator()(const Xapian::Document&, double) override { std::this_thread::sleep_for(delay_); }

 private:
  std::chrono::milliseconds delay_;
};

class XapianSearcher : public SubjectSearcher {
 public:
  XapianSearcher(const xapian::ObservedDatabase& database, std::string_view arm,
                 const std::chrono::milliseconds& delay)
      : database_(database.database()),
        enquire_(database.enquire(arm)),
        plain_(database_),
        delay_(delay) {}

  std::vector<ServedHit> search(const Request& request) override {
    SlowSpy slow(delay_);
    enquire_.clear_matchspies();
    if (delay_.count() > 0) enquire_.add_matchspy(&slow);
    return hits_of(ask(enquire_, request));
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    try {
      return hits_of(ask(plain_, request));
    } catch (const Xapian::DatabaseModifiedError&) {  // as every host of Xapian does
      database_.reopen();
      return hits_of(ask(plain_, request));
    }
  }

 private:
  Xapian::Database database_;
  xapian::ObservedEnquire enquire_;
  Xapian::Enquire plain_;
  const std::chrono::milliseconds& delay_;
};

class XapianSubject : public Subject {
 public:
  enum class Where { kHere, kBehindServers };

  XapianSubject(std::size_t shards, Where where) : folder_(shards) {
    if (where == Where::kHere) return;
    for (std::size_t i = 0; i < shards; ++i) {
      servers_.push_back(std::make_unique<DatabaseServer>(folder_.shard(i)));
    }
  }

  [[nodiscard]] Traits traits() const override { return {.keeps_generations = false}; }

  void add(const std::vector<Doc>& docs) override { folder_.add(docs); }
  void remove(const std::string& docno) override { folder_.remove(docno); }
  void compact() override { folder_.compact(); }

  void watch(Experiment& experiment) override {
    index_.emplace([this] { return open_shards(); }, experiment);
    database_.emplace(index_->open());
  }
  bool reopen() override { return database_->reopen(); }
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const override {
    return database_->resolved();
  }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    if (std::this_thread::get_id() == owner_) {
      return std::make_unique<XapianSearcher>(*database_, arm, delay_);
    }
    return std::make_unique<XapianSearcher>(index_->open(), arm, delay_);
  }

  void break_engine() override {
    if (servers_.empty()) {
      Xapian::Database same = database_->database();
      same.close();
    }
    for (const auto& server : servers_) server->stop();
  }
  bool change_under_searchers() override {
    Xapian::Database same = database_->database();
    return same.reopen();
  }
  bool slow_engine(std::chrono::milliseconds delay) override {
    if (!servers_.empty()) return false;  // a spy does not travel to a server
    delay_ = delay;
    return true;
  }
  void break_docnos() override { folder_.move_docnos(DocnoIn::kNowhere); }

 private:
  [[nodiscard]] std::vector<Xapian::Database> open_shards() const {
    if (servers_.empty()) return folder_.open();
    std::vector<Xapian::Database> shards;
    for (const auto& server : servers_) shards.push_back(server->open());
    return shards;
  }

  DatabaseFolder folder_;
  std::vector<std::unique_ptr<DatabaseServer>> servers_;
  std::chrono::milliseconds delay_{0};  // of each document in a search
  std::thread::id owner_ = std::this_thread::get_id();
  std::optional<xapian::ObservedIndex> index_;
  std::optional<xapian::ObservedDatabase> database_;  // the owner's
};

}  // namespace

std::unique_ptr<Subject> xapian_local() {
  return std::make_unique<XapianSubject>(1, XapianSubject::Where::kHere);
}

std::unique_ptr<Subject> xapian_multi() {
  return std::make_unique<XapianSubject>(2, XapianSubject::Where::kHere);
}

std::unique_ptr<Subject> xapian_remote() {
  return std::make_unique<XapianSubject>(2, XapianSubject::Where::kBehindServers);
}

}  // namespace prescope::conformance
