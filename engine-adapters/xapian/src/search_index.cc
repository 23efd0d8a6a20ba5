#include "search_index.h"

#include <utility>

#include "arm_searcher.h"
#include "patent_terms.h"
#include "stored_patent.h"
#include "text.h"

namespace prescope::xapian {
namespace {

std::shared_ptr<Watching> watch(const std::filesystem::path& path, Experiment& experiment) {
  return std::make_shared<Watching>(
      experiment, [path] { return std::vector{Xapian::Database(path.string())}; },
      ObservedIndexOptions{.docno_prefix = kDocnoPrefix, .docno_slot = kDocnoSlot});
}

std::optional<PatentDocument> first_match(WatchedDatabase& database, const Xapian::Query& query,
                                          std::string_view docno) {
  Xapian::Enquire enquire(database.database());
  enquire.set_query(query);
  enquire.set_weighting_scheme(Xapian::BoolWeight());
  const Xapian::MSet found = enquire.get_mset(0, 1);
  if (found.empty()) return std::nullopt;
  const std::string data = found.begin().get_document().get_data();
  // If a writer has overtaken the database, Xapian 1.4.22 sometimes returns no data, and no error.
  if (data.empty() && database.reopen() != WatchedDatabase::Reopened::kUnchanged) {
    throw Xapian::DatabaseModifiedError("the database changed while a document was read");
  }
  return from_data(data, docno);
}

}  // namespace

XapianSearchIndex::XapianSearchIndex(const std::filesystem::path& path, Experiment& experiment)
    : sessions_(std::make_unique<Sessions>(watch(path, experiment))) {
  static_cast<void>(session());
}

std::uint64_t XapianSearchIndex::num_documents() const {
  return in_engine("counting the documents", [&] {
    return session()
        .answer([](WatchedDatabase& database) { return database.database().get_doccount(); })
        .result;
  });
}

std::optional<PatentDocument> XapianSearchIndex::document(const Docno& docno) const {
  Session& session = this->session();
  const auto find = [&](WatchedDatabase& database) -> std::optional<PatentDocument> {
    const NamedDocuments& names = session.names_in(database);
    for (const std::string& spelling : names.spellings(docno)) {
      auto found = first_match(database, names.query(spelling), spelling);
      if (found) return found;
    }
    return std::nullopt;
  };
  return in_engine(docno.text(), [&] { return session.answer(find).result; });
}

std::unique_ptr<ArmSearcher> XapianSearchIndex::searcher(const ArmConfig& arm) {
  Ranker ranker(parse_ranker(arm));
  const ArmIndex index = watching().experiment.arm(arm.id.text());
  return in_engine("arm " + arm.id.text(), [&]() -> std::unique_ptr<ArmSearcher> {
    const auto table =
        session().answer([](WatchedDatabase& database) { return database.table(); }).result;
    watching().tell(index, table);
    return std::make_unique<XapianArmSearcher>(*this, index, std::move(ranker));
  });
}

}  // namespace prescope::xapian
