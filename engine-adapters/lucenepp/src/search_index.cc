#include "search_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "excluded_documents.h"
#include "patent_fields.h"
#include "prescope/lucenepp/ranker.h"
#include "text.h"

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

class LuceneArmSearcher : public ArmSearcher {
 public:
  LuceneArmSearcher(const LuceneSearchIndex& index, ObservedSearcherPtr searcher, Ranker ranker)
      : index_(index),
        searcher_(std::move(searcher)),
        ranker_(std::move(ranker)),
        leaves_(leaves_of(index.reader())) {}

  std::uint32_t search(std::string_view text, std::span<const Docno> excluded, std::uint32_t depth,
                       std::vector<Hit>* hits) override {
    const auto served = in_engine("search", [&] {
      const Lucene::BooleanQueryPtr query = ranker_.query(text);
      exclude(query, leaves_, find(excluded));
      constexpr std::uint32_t kDeepest = std::numeric_limits<int32_t>::max();
      return searcher_->search(query, static_cast<int32_t>(std::min(depth, kDeepest)));
    });
    if (hits != nullptr) list(*served, *hits);
    return static_cast<std::uint32_t>(served->scoreDocs.size());
  }

 private:
  [[nodiscard]] std::vector<DocId> find(std::span<const Docno> docnos) const {
    std::vector<DocId> found;
    for (const Docno& docno : docnos) {
      const std::vector<DocId> documents = index_.find(docno);
      found.insert(found.end(), documents.begin(), documents.end());
    }
    return found;
  }

  void list(const Lucene::TopDocs& served, std::vector<Hit>& hits) const {
    hits.clear();
    for (const Lucene::ScoreDocPtr& hit : served.scoreDocs) {
      const DocId docid{static_cast<std::uint32_t>(hit->doc)};
      hits.push_back({Docno{index_.docnos().docno(docid)}, static_cast<float>(hit->score)});
    }
  }

  const LuceneSearchIndex& index_;
  ObservedSearcherPtr searcher_;
  Ranker ranker_;
  std::vector<Leaf> leaves_;
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

}  // namespace

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

std::optional<PatentDocument> LuceneSearchIndex::document(const Docno& docno) const {
  const std::vector<DocId> found = find(docno);
  if (found.empty()) return std::nullopt;
  const auto exact = std::find_if(found.begin(), found.end(), [&](DocId docid) {
    return docnos().docno(docid) == docno.text();
  });
  const DocId chosen = exact == found.end() ? found.front() : *exact;
  return in_engine(docno.text(), [&] {
    return from_lucene(reader_->document(static_cast<int32_t>(chosen.value())));
  });
}

std::unique_ptr<ArmSearcher> LuceneSearchIndex::searcher(const ArmConfig& arm) {
  RankerOptions options = parse_ranker(arm);
  ObservedSearcherPtr observed = observed_.searcher(arm.id.text());
  return in_engine("arm " + arm.id.text(), [&] {
    Ranker ranker(reader_, std::move(options));
    warm_up(reader_, ranker);
    return std::make_unique<LuceneArmSearcher>(*this, std::move(observed), std::move(ranker));
  });
}

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

}  // namespace prescope::lucenepp
