#include "conformance/xapian/xapian_subject.h"

#include <chrono>
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

/// What disturbs the searches of one subject.
struct Disturbances {
  std::chrono::milliseconds search_delay{0};   ///< at least
  std::chrono::milliseconds reading_delay{0};  ///< that the servers answer later after a search
  /// If set, the host searches here and shows the answers.
  std::optional<Xapian::Database> hosts_own{};
  std::vector<std::unique_ptr<DatabaseServer>> servers{};
};

/// BM25Weight, which takes its time in each search: it is copied in a local one and sent to a
/// server in a remote one.
class SlowWeight : public Xapian::BM25Weight {
 public:
  explicit SlowWeight(const std::chrono::milliseconds& delay) : delay_(delay) {}
  SlowWeight* clone() const override {
    std::this_thread::sleep_for(delay_);
    return new SlowWeight(delay_);
  }
  std::string serialise() const override {
    std::this_thread::sleep_for(delay_);
    return Xapian::BM25Weight::serialise();
  }

 private:
  const std::chrono::milliseconds& delay_;
};

class XapianSearcher : public SubjectSearcher {
 public:
  XapianSearcher(const xapian::ObservedDatabase& database, std::string_view arm,
                 const Disturbances& disturbances)
      : database_(database.database()),
        enquire_(database.enquire(arm)),
        plain_(database_),
        disturbances_(disturbances) {
    const SlowWeight weight(disturbances.search_delay);
    enquire_.set_weighting_scheme(weight);
    plain_.set_weighting_scheme(weight);
  }

  std::vector<ServedHit> search(const Request& request) override {
    if (!disturbances_.hosts_own) return hits_of(ask(enquire_, request));
    Xapian::Enquire own(*disturbances_.hosts_own);
    const auto started = std::chrono::steady_clock::now();
    const Xapian::MSet served = ask(own, request);
    for (const auto& server : disturbances_.servers) server->pause();
    const std::jthread resumes([this] {
      std::this_thread::sleep_for(disturbances_.reading_delay);
      for (const auto& server : disturbances_.servers) server->resume();
    });
    enquire_.observe(served, {.requested_depth = request.depth,
                              .search_started = started,
                              .flags = RankingFlags::kNone});
    return hits_of(served);
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
  const Disturbances& disturbances_;
};

class XapianSubject : public Subject {
 public:
  enum class Where { kHere, kBehindServers };

  XapianSubject(std::size_t shards, Where where) : folder_(shards) {
    if (where == Where::kHere) return;
    for (std::size_t i = 0; i < shards; ++i) {
      disturbances_.servers.push_back(std::make_unique<DatabaseServer>(folder_.shard(i)));
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
      return std::make_unique<XapianSearcher>(*database_, arm, disturbances_);
    }
    return std::make_unique<XapianSearcher>(index_->open(), arm, disturbances_);
  }

  void break_engine() override {
    if (disturbances_.servers.empty()) {
      Xapian::Database same = database_->database();
      same.close();
    }
    for (const auto& server : disturbances_.servers) server->stop();
  }
  bool change_under_searchers() override {
    Xapian::Database same = database_->database();
    return same.reopen();
  }
  bool slow_engine(std::chrono::milliseconds delay) override {
    disturbances_.search_delay = delay;
    return true;
  }
  /// After a change by the host, documents are read. Only a server can be slow at that.
  bool slow_reading(std::chrono::milliseconds delay) override {
    if (disturbances_.servers.empty()) return false;
    folder_.add({{"EP0", "pump"}});
    disturbances_.reading_delay = 3 * delay;  // it begins a moment before the reading
    disturbances_.hosts_own = database_->database();
    return change_under_searchers();
  }
  /// The host serves EP1 from a database that it opened before the document was removed.
  bool break_reading() override {
    Xapian::Database before;
    for (const Xapian::Database& shard : open_shards()) before.add_database(shard);
    disturbances_.hosts_own = before;
    folder_.remove("EP1");
    return change_under_searchers();
  }
  void break_docnos() override { folder_.move_docnos(DocnoIn::kNowhere); }

 private:
  [[nodiscard]] std::vector<Xapian::Database> open_shards() const {
    if (disturbances_.servers.empty()) return folder_.open();
    std::vector<Xapian::Database> shards;
    for (const auto& server : disturbances_.servers) shards.push_back(server->open());
    return shards;
  }

  DatabaseFolder folder_;
  Disturbances disturbances_;
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
