#include "arm_searcher.h"

#include <chrono>
#include <string>
#include <utility>

#include "docno_place.h"
#include "prescope/error.h"
#include "served_ranking.h"
#include "text.h"

namespace prescope::xapian {
namespace {

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
  const auto any = [](std::string_view) { return true; };
  const auto end = served.end();
  for (auto hit = served.begin(); hit != end; ++hit) {
    docnos.push_back(docno_of(database.database(), *hit, place, any));
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
  ArmSearch(Session& session, const Ranker& ranker, const Request& request)
      : session_(session), ranker_(ranker), request_(request) {}

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
    const NamedDocuments& names = session_.names_in(database);
    served.set_up = Clock::now() - began;
    return Xapian::Query(Xapian::Query::OP_AND_NOT, wanted, any_of(names, request_.exclude));
  }

  Session& session_;
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

}  // namespace

XapianArmSearcher::XapianArmSearcher(const XapianSearchIndex& index, ArmIndex arm, Ranker ranker)
    : index_(index), arm_(arm), ranker_(std::move(ranker)) {}

std::uint32_t XapianArmSearcher::search(std::string_view text, std::span<const Docno> exclude,
                                        std::uint32_t depth, std::vector<Hit>* hits) {
  if (depth == 0) throw Error(ErrorCode::kUsage, "a search for no hits; expected a depth >= 1");
  return in_engine("search", [&] {
    const auto asked = Clock::now();
    Session& session = index_.session();
    const auto started = Clock::now();
    const Request request{text, exclude, depth, hits};
    const auto [served, flags] =
        answer_or_fail(session, ArmSearch(session, ranker_, request), arm_);
    observe(*served.database, served.mset, served.docnos,
            {.arm = arm_,
             .requested_depth = depth,
             .total_hits = served.mset.get_matches_estimated(),
             .search_started = started,
             .search_ended = served.ended - served.set_up - (started - asked),
             .flags = flags});
    if (hits != nullptr) list(served, *hits);
    if (ArmSearch::is_by_docno(*served.database)) resolve_afterwards(session);
    return static_cast<std::uint32_t>(served.mset.size());
  });
}

}  // namespace prescope::xapian
