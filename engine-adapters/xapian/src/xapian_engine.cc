#include "xapian_engine.h"

#include <chrono>
#include <string>
#include <utility>

#include "docno_place.h"
#include "index_check.h"
#include "patent_terms.h"
#include "prescope/error.h"
#include "prescope/xapian/ranker.h"
#include "served_ranking.h"
#include "session.h"
#include "stored_patent.h"
#include "text.h"

namespace prescope::xapian {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

struct Request {
  std::string_view text;
  std::span<const Docno> exclude;
  std::uint32_t depth = 0;
  std::vector<Hit>* hits = nullptr;
};

struct Served {
  WatchedDatabase* database = nullptr;
  Xapian::MSet mset;
  Clock::time_point ended{};
  Clock::duration set_up{};         ///< of the time before `ended`
  std::vector<std::string> docnos;  ///< of the hits, if they are needed
};

Xapian::Query any_of(const NamedDocuments& names, std::span<const Docno> docnos) {
  std::vector<Xapian::Query> documents;
  for (const Docno& docno : docnos) {
    for (const std::string& spelling : names.spellings(docno)) {
      documents.push_back(names.query(spelling));
    }
  }
  return Xapian::Query(Xapian::Query::OP_OR, documents.begin(), documents.end());
}

std::vector<std::string> docnos_of(const WatchedDatabase& database, const Xapian::MSet& served) {
  const ObservedIndexOptions& place = database.watching()->place;
  std::vector<std::string> docnos;
  docnos.reserve(served.size());
  const auto is_judged = judged_by_topic(database.experiment());
  const auto end = served.end();
  for (auto hit = served.begin(); hit != end; ++hit) {
    docnos.push_back(docno_of(database.database(), *hit, place, is_judged));
  }
  return docnos;
}

void list(const Served& served, std::vector<Hit>& hits) {
  hits.clear();
  auto hit = served.mset.begin();
  for (const std::string& docno : served.docnos) {
    hits.push_back({Docno{docno}, static_cast<float>(hit.get_weight())});
    ++hit;
  }
}

/// One search of one thread. It may be repeated.
class ArmSearch {
 public:
  ArmSearch(const Ranker& ranker, const Request& request) : ranker_(ranker), request_(request) {}

  Served operator()(WatchedDatabase& database) const {
    Served served;
    served.database = &database;
    Xapian::Enquire enquire(database.database());
    const Xapian::Query wanted = ranker_.query(request_.text, database.database());
    // The length is that of the query without the exclusions.
    enquire.set_query(without_excluded(wanted, database, served), wanted.get_length());
    enquire.set_weighting_scheme(*ranker_.weight());
    served.mset = enquire.get_mset(0, request_.depth);
    served.ended = Clock::now();
    database.catch_up();
    if (request_.hits != nullptr || is_by_docno(database)) {
      served.docnos = docnos_of(database, served.mset);
    }
    return served;
  }

  [[nodiscard]] static bool is_by_docno(const WatchedDatabase& database) {
    return database.matching() == WatchedDatabase::Matching::kByDocno;
  }

 private:
  /// Excludes them by a clause, so that depth, counts and all other scores stay as they are.
  [[nodiscard]] Xapian::Query without_excluded(const Xapian::Query& wanted,
                                               WatchedDatabase& database, Served& served) const {
    if (request_.exclude.empty()) return wanted;
    const auto began = Clock::now();
    const auto names = database.names();
    served.set_up = Clock::now() - began;
    return Xapian::Query(Xapian::Query::OP_AND_NOT, wanted, any_of(*names, request_.exclude));
  }

  const Ranker& ranker_;
  const Request& request_;
};

auto answer_or_fail(Session& session, const ArmSearch& search, ArmIndex arm) {
  try {
    return session.answer(search);
  } catch (...) {
    observe_failure(session.experiment(), arm);
    throw;
  }
}

/// If it fails, the next search is matched by docno too, which is as right and only slower.
void resolve_afterwards(Session& session) noexcept {
  try {
    session.resolve();
  } catch (...) {
  }
}

/// One ranking configuration on an opened database. Thread-safe.
class XapianArmSearcher : public ArmSearcher {
 public:
  XapianArmSearcher(Sessions& sessions, ArmIndex arm, Ranker ranker, std::vector<std::string> notes)
      : sessions_(sessions), arm_(arm), ranker_(std::move(ranker)), notes_(std::move(notes)) {}

  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

  /// See ArmSearcher. A search that a writer overtakes, also while its hits are being read, is
  /// repeated in the latest state and observed once, with RankingFlags::kRetried: `hits` are the
  /// ranking that was observed. Work that is done once for a thread or a state (opening, resolving,
  /// reading the docnos for `exclude`) is not in its latency. Throws Error(kUsage) for a depth of
  /// 0, Error(kBadInput) for invalid UTF-8.
  std::uint32_t search(const TopicQuery& query, std::vector<Hit>* hits) override {
    if (query.depth == 0)
      throw Error(ErrorCode::kUsage, "a search for no hits; expected a depth >= 1");
    return in_engine("search", [&] {
      const auto asked = Clock::now();
      Session& session = sessions_.of_this_thread();
      const auto started = Clock::now();
      const Request request{query.text, query.exclude, query.depth, hits};
      const auto [served, flags] = answer_or_fail(session, ArmSearch(ranker_, request), arm_);
      observe(*served.database, served.mset, served.docnos,
              {.arm = arm_,
               .requested_depth = query.depth,
               .total_hits = served.mset.get_matches_estimated(),
               .search_started = started,
               .search_ended = served.ended - served.set_up - (started - asked),
               .flags = flags});
      if (hits != nullptr) list(served, *hits);
      if (ArmSearch::is_by_docno(*served.database)) resolve_afterwards(session);
      return static_cast<std::uint32_t>(served.mset.size());
    });
  }

 private:
  Sessions& sessions_;
  ArmIndex arm_;
  Ranker ranker_;
  std::vector<std::string> notes_;
};

std::shared_ptr<Watching> watch(const std::filesystem::path& path, Experiment& experiment) {
  return std::make_shared<Watching>(
      experiment, [path] { return std::vector{Xapian::Database(path.string())}; },
      ObservedIndexOptions{.docno_prefix = kDocnoPrefix, .docno_slot = kDocnoSlot});
}

/// Returns what `read(document, docno)` makes of the first document that the docno names, or
/// nothing.
template <class Read>
auto first_named(WatchedDatabase& database, const Docno& docno, Read read)
    -> std::optional<decltype(read(Xapian::Document(), std::string()))> {
  const auto names = database.names();
  for (const std::string& spelling : names->spellings(docno)) {
    Xapian::Enquire enquire(database.database());
    enquire.set_query(names->query(spelling));
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    const Xapian::MSet found = enquire.get_mset(0, 1);
    if (!found.empty()) return read(found.begin().get_document(), spelling);
  }
  return std::nullopt;
}

PatentDocument stored_patent(WatchedDatabase& database, const Xapian::Document& document,
                             std::string_view docno) {
  const std::string data = document.get_data();
  // If a writer has overtaken the database, Xapian 1.4.22 sometimes returns no data, and no error.
  if (data.empty() && database.reopen() != WatchedDatabase::Reopened::kUnchanged) {
    throw Xapian::DatabaseModifiedError("the database changed while a document was read");
  }
  return from_data(data, docno);
}

/// A database, opened for one experiment. Writers may commit, delete, compact it and replace it
/// meanwhile: each thread keeps the state that it has opened as long as that can be read, then
/// opens the latest one.
class XapianSearchIndex : public SearchIndex {
 public:
  /// Throws Error(kEngine) if the database has documents but no docnos; exceptions of Xapian while
  /// opening pass through.
  XapianSearchIndex(const fs::path& path, Experiment& experiment)
      : sessions_(std::make_unique<Sessions>(watch(path, experiment))) {
    static_cast<void>(session());
  }

  [[nodiscard]] std::uint64_t num_documents() const override {
    return in_engine("counting the documents", [&] {
      return session()
          .answer([](WatchedDatabase& database) { return database.database().get_doccount(); })
          .result;
    });
  }

  [[nodiscard]] std::optional<PatentDocument> document(const Docno& docno) const override {
    const auto find = [&](WatchedDatabase& database) {
      return first_named(database, docno,
                         [&](const Xapian::Document& found, std::string_view name) {
                           return stored_patent(database, found, name);
                         });
    };
    return in_engine(docno.text(), [&] { return session().answer(find).result; });
  }

  [[nodiscard]] IndexPassport passport() const override {
    return in_engine("reading the passport", [&] {
      return session()
          .answer([](WatchedDatabase& database) { return passport_of(database.database()); })
          .result;
    });
  }

  [[nodiscard]] std::optional<std::uint64_t> digest(const Docno& docno) const override {
    const auto find = [&](WatchedDatabase& database) {
      return first_named(database, docno, [](const Xapian::Document& found, std::string_view) {
        return digest_of_terms(found);
      });
    };
    return in_engine(docno.text(), [&] { return session().answer(find).result; });
  }

  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) override {
    const RankerOptions options = parse_ranker(arm);
    Ranker ranker(options);
    const ArmIndex index = sessions_->watching().experiment.arm(arm.id.text());
    return in_engine("arm " + arm.id.text(), [&]() -> std::unique_ptr<ArmSearcher> {
      const auto table =
          session().answer([](WatchedDatabase& database) { return database.table(); }).result;
      sessions_->watching().tell(index, table);
      auto notes = session()
                       .answer([&](WatchedDatabase& database) {
                         return check_settings(database.database(), arm, options);
                       })
                       .result;
      return std::make_unique<XapianArmSearcher>(*sessions_, index, std::move(ranker),
                                                 std::move(notes));
    });
  }

 private:
  /// The calling thread's own.
  [[nodiscard]] Session& session() const { return sessions_->of_this_thread(); }

  std::unique_ptr<Sessions> sessions_;
};

[[noreturn]] void refuse(ErrorCode code, const fs::path& path, std::string_view what,
                         const Xapian::Error& failure) {
  std::string message = path.string();
  message += ": ";
  message += what;
  message += failure.get_description();
  throw Error(code, message);
}

}  // namespace

std::string_view XapianEngine::version() const noexcept { return Xapian::version_string(); }

std::span<const std::string_view> XapianEngine::arm_settings() const noexcept {
  return ranker_settings();
}

std::unique_ptr<IndexBuilder> XapianEngine::create(const fs::path& folder) {
  return create_index(folder);
}

std::unique_ptr<SearchIndex> XapianEngine::open(const std::string& place, Experiment& experiment) {
  const fs::path folder(place);
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    throw Error(ErrorCode::kIo, folder.string() +
                                    ": no such folder; expected a Xapian database, as `prescope "
                                    "index` makes it, or a stub file");
  }
  try {
    return std::make_unique<XapianSearchIndex>(folder, experiment);
  } catch (const Xapian::DatabaseNotFoundError& failure) {
    refuse(ErrorCode::kIo, folder,
           "holds no Xapian database; expected one, as `prescope index` makes it: ", failure);
  } catch (const Xapian::NetworkError& failure) {
    refuse(ErrorCode::kIo, folder, "a server does not answer: ", failure);
  } catch (const Xapian::Error& failure) {
    refuse(ErrorCode::kEngine, folder,
           "the database is damaged or not of a version that Xapian reads: ", failure);
  }
}

}  // namespace prescope::xapian
