#include "lucene_engine.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "docno_table.h"
#include "index_check.h"
#include "patent_fields.h"
#include "prescope/lucenepp/observed_index.h"
#include "prescope/lucenepp/ranker.h"
#include "text.h"

#include <lucene++/Constants.h>

namespace prescope::lucenepp {
namespace {

namespace fs = std::filesystem;

/// Lucene++ 3.0.8 creates its statics at the first use without a lock, so they are created here,
/// before threads search.
void warm_up(const Lucene::IndexReaderPtr& reader, const Ranker& ranker) {
  const auto plain = Lucene::newLucene<Lucene::IndexSearcher>(reader);
  const auto query = ranker.query("warm up");
  query->add(Lucene::newLucene<Lucene::TermQuery>(
                 Lucene::newLucene<Lucene::Term>(kDocnoField, L"warm up")),
             Lucene::BooleanClause::SHOULD);
  plain->search(query, 1);
}

/// An index made by `create_index`, opened for one experiment. Reads the last commit, also
/// while a writer is at work on the next one.
class LuceneSearchIndex : public SearchIndex {
 public:
  /// Throws Error(kEngine) as ObservedIndex does.
  LuceneSearchIndex(const Lucene::IndexReaderPtr& reader, Experiment& experiment);

  [[nodiscard]] std::uint64_t num_documents() const override;
  [[nodiscard]] std::optional<PatentDocument> document(const Docno& docno) const override;
  [[nodiscard]] IndexPassport passport() const override;
  [[nodiscard]] std::optional<std::uint64_t> digest(const Docno& docno) const override;
  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) override;

  [[nodiscard]] const Experiment& experiment() const noexcept { return experiment_; }
  /// Made when first asked for.
  [[nodiscard]] const DocnoTable& docnos() const;
  /// Documents of the index that a docno names, ascending.
  [[nodiscard]] std::vector<DocId> find(const Docno& docno) const;

 private:
  /// Returns the stored document that is spelled like `docno`, or else the first; null if none.
  [[nodiscard]] Lucene::DocumentPtr stored(const Docno& docno) const;

  Lucene::IndexReaderPtr reader_;
  Experiment& experiment_;
  ObservedIndex observed_;
  mutable std::once_flag docnos_made_;
  mutable std::unique_ptr<const DocnoTable> docnos_;
};

class LuceneArmSearcher : public ArmSearcher {
 public:
  LuceneArmSearcher(const LuceneSearchIndex& index, ObservedSearcherPtr searcher, Ranker ranker,
                    std::vector<std::string> notes)
      : index_(index),
        searcher_(std::move(searcher)),
        ranker_(std::move(ranker)),
        notes_(std::move(notes)) {}

  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

  std::uint32_t search(const TopicQuery& asked, std::vector<Hit>* hits) override {
    const auto served = in_engine("search", [&] {
      const Lucene::BooleanQueryPtr query = ranker_.query(asked.text);
      exclude(asked.exclude, *query);
      constexpr std::uint32_t kDeepest = std::numeric_limits<int32_t>::max();
      return searcher_->search(query, static_cast<int32_t>(std::min(asked.depth, kDeepest)));
    });
    if (hits != nullptr) list(*served, *hits);
    return static_cast<std::uint32_t>(served->scoreDocs.size());
  }

 private:
  /// Adds a clause that excludes these documents; depth, counts and the scores of all others stay
  /// the same.
  void exclude(std::span<const Docno> docnos, Lucene::BooleanQuery& query) const {
    const auto any = Lucene::newLucene<Lucene::BooleanQuery>();
    const DocnoNormalizer& keys = index_.experiment().judged().docnos();
    for (const Docno& docno : docnos) {
      const auto is_same = [&, key = keys.key(docno)](std::string_view one) {
        DocnoBuffer buffer;
        return keys.key(one, buffer) == key;
      };
      for (const DocId document : index_.find(docno)) {
        const auto term = Lucene::newLucene<Lucene::Term>(
            kDocnoField, to_wide(index_.docnos().docno(document, is_same)));
        any->add(Lucene::newLucene<Lucene::TermQuery>(term), Lucene::BooleanClause::SHOULD);
      }
    }
    if (!any->getClauses().empty()) query.add(any, Lucene::BooleanClause::MUST_NOT);
  }

  void list(const Lucene::TopDocs& served, std::vector<Hit>& hits) const {
    hits.clear();
    // A document that is judged by one of its docnos has that one in a run, too.
    const QueryScope* const scope = QueryScope::current();
    const bool is_here = scope != nullptr && &scope->experiment() == &index_.experiment();
    const TopicIndex topic = is_here ? scope->visit().topic : kUnjudgedTopic;
    const Qrels& qrels = index_.experiment().qrels();
    const auto is_judged = [&](std::string_view docno) {
      DocnoBuffer buffer;
      return topic != kUnjudgedTopic && qrels.topic(topic).find(qrels.docnos().key(docno, buffer));
    };
    for (const Lucene::ScoreDocPtr& hit : served.scoreDocs) {
      const DocId docid{static_cast<std::uint32_t>(hit->doc)};
      hits.push_back(
          {Docno{index_.docnos().docno(docid, is_judged)}, static_cast<float>(hit->score)});
    }
  }

  const LuceneSearchIndex& index_;
  ObservedSearcherPtr searcher_;
  Ranker ranker_;
  std::vector<std::string> notes_;
};

PatentDocument from_lucene(const Lucene::DocumentPtr& stored) {
  PatentDocument patent;
  patent.docno = Docno{to_utf8(stored->get(kDocnoField))};
  patent.title = to_utf8(stored->get(kTitleField));
  patent.abstract = to_utf8(stored->get(kAbstractField));
  for (const std::wstring& symbol : stored->getValues(kIpcField)) {
    patent.ipc.push_back(to_utf8(symbol));
  }
  for (const std::wstring& member : stored->getValues(kFamilyField)) {
    patent.family.emplace_back(to_utf8(member));
  }
  return patent;
}

LuceneSearchIndex::LuceneSearchIndex(const Lucene::IndexReaderPtr& reader, Experiment& experiment)
    : reader_(reader), experiment_(experiment), observed_(reader, experiment, {kDocnoField}) {}

std::uint64_t LuceneSearchIndex::num_documents() const {
  return static_cast<std::uint64_t>(reader_->numDocs());
}

const DocnoTable& LuceneSearchIndex::docnos() const {
  std::call_once(docnos_made_, [this] {
    docnos_ = in_engine("reading docnos", [this] {
      return std::make_unique<const DocnoTable>(reader_, kDocnoField,
                                                experiment_.judged().docnos());
    });
  });
  return *docnos_;
}

std::vector<DocId> LuceneSearchIndex::find(const Docno& docno) const {
  return docnos().find(experiment_.judged().docnos().key(docno));
}

Lucene::DocumentPtr LuceneSearchIndex::stored(const Docno& docno) const {
  const std::vector<DocId> found = find(docno);
  if (found.empty()) return {};
  const auto is_exact = [&](std::string_view one) { return one == docno.text(); };
  const auto exact = std::find_if(found.begin(), found.end(), [&](DocId docid) {
    return is_exact(docnos().docno(docid, is_exact));
  });
  const DocId chosen = exact == found.end() ? found.front() : *exact;
  return in_engine(docno.text(),
                   [&] { return reader_->document(static_cast<int32_t>(chosen.value())); });
}

std::optional<PatentDocument> LuceneSearchIndex::document(const Docno& docno) const {
  const Lucene::DocumentPtr found = stored(docno);
  return found ? std::optional(from_lucene(found)) : std::nullopt;
}

IndexPassport LuceneSearchIndex::passport() const {
  return in_engine("reading the passport", [&] { return passport_of(reader_); });
}

std::optional<std::uint64_t> LuceneSearchIndex::digest(const Docno& docno) const {
  const Lucene::DocumentPtr found = stored(docno);
  const std::string digits = found ? to_utf8(found->get(kDigestField)) : std::string();
  std::uint64_t digest = 0;
  const char* const end = digits.data() + digits.size();
  const auto [last, failed] = std::from_chars(digits.data(), end, digest);
  return failed == std::errc() && last == end ? std::optional(digest) : std::nullopt;
}

std::unique_ptr<ArmSearcher> LuceneSearchIndex::searcher(const ArmConfig& arm) {
  RankerOptions options = parse_ranker(arm);
  ObservedSearcherPtr observed = observed_.searcher(arm.id.text());
  return in_engine("arm " + arm.id.text(), [&] {
    std::vector<std::string> notes = check_settings(reader_, arm, options);
    Ranker ranker(reader_, std::move(options));
    warm_up(reader_, ranker);
    return std::make_unique<LuceneArmSearcher>(*this, std::move(observed), std::move(ranker),
                                               std::move(notes));
  });
}

/// Throws Error(kIo) if there is no index in the folder, Error(kEngine) if it is damaged.
Lucene::IndexReaderPtr open_reader(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(ErrorCode::kIo, folder.string() +
                                    ": no such folder; expected a Lucene++ index, "
                                    "as `prescope index` makes it");
  }
  const auto directory = Lucene::FSDirectory::open(to_wide(folder.string()));
  try {
    if (!Lucene::IndexReader::indexExists(directory)) {
      throw Error(ErrorCode::kIo, folder.string() +
                                      ": holds no Lucene++ index; expected one, as "
                                      "`prescope index` makes it");
    }
    return Lucene::IndexReader::open(directory, true);
  } catch (const Error&) {
    throw;
  } catch (const Lucene::LuceneException& failure) {
    throw Error(ErrorCode::kEngine, folder.string() +
                                        ": the index is damaged or not of a version "
                                        "that Lucene++ reads: " +
                                        message(failure));
  } catch (const std::exception& failure) {  // a damaged length makes Lucene++ ask for any memory
    throw Error(ErrorCode::kEngine, folder.string() + ": the index is damaged: " + failure.what());
  }
}

}  // namespace

LuceneEngine::LuceneEngine() : version_(to_utf8(Lucene::Constants::LUCENE_VERSION)) {}

std::span<const std::string_view> LuceneEngine::arm_settings() const noexcept {
  return ranker_settings();
}

std::unique_ptr<IndexBuilder> LuceneEngine::create(const std::filesystem::path& folder) {
  return create_index(folder);
}

std::unique_ptr<SearchIndex> LuceneEngine::open(const std::string& folder, Experiment& experiment) {
  return std::make_unique<LuceneSearchIndex>(open_reader(folder), experiment);
}

}  // namespace prescope::lucenepp
