#include "excluded_documents.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <lucene++/ConstantScoreQuery.h>
#include <lucene++/DocIdSet.h>
#include <lucene++/DocIdSetIterator.h>
#include <lucene++/Filter.h>

namespace prescope::lucenepp {
namespace {

using Lucene::String;  // for LUCENE_CLASS
using Locals = std::vector<std::int32_t>;

/// Walks a few docids of one segment.
class FewDocuments : public Lucene::DocIdSetIterator {
 public:
  explicit FewDocuments(const Locals& documents) : documents_(documents) {}
  LUCENE_CLASS(FewDocuments)

  int32_t docID() override { return current_; }
  int32_t nextDoc() override {
    return current_ = position_ == documents_.size() ? NO_MORE_DOCS : documents_[position_++];
  }
  int32_t advance(int32_t target) override {
    while (nextDoc() < target) {
    }
    return current_;
  }

 private:
  Locals documents_;
  std::size_t position_ = 0;
  int32_t current_ = -1;
};

class FewDocumentsSet : public Lucene::DocIdSet {
 public:
  explicit FewDocumentsSet(const Locals& documents) : documents_(documents) {}
  LUCENE_CLASS(FewDocumentsSet)

  Lucene::DocIdSetIteratorPtr iterator() override {
    return Lucene::newLucene<FewDocuments>(documents_);
  }

 private:
  Locals documents_;
};

class ExcludedDocuments : public Lucene::Filter {
 public:
  ExcludedDocuments(const std::vector<Leaf>& leaves, const std::vector<DocId>& docids)
      : leaves_(leaves), docids_(docids) {}
  LUCENE_CLASS(ExcludedDocuments)

  Lucene::DocIdSetPtr getDocIdSet(const Lucene::IndexReaderPtr& reader) override {
    const auto leaf = std::find_if(leaves_.begin(), leaves_.end(),
                                   [&](const Leaf& one) { return one.reader == reader; });
    if (leaf == leaves_.end()) return {};
    const auto size = static_cast<std::uint32_t>(reader->maxDoc());
    Locals documents;
    for (const DocId docid : docids_) {
      const std::uint32_t local = docid.value() - leaf->base;
      if (docid.value() >= leaf->base && local < size) {
        documents.push_back(static_cast<std::int32_t>(local));
      }
    }
    return Lucene::newLucene<FewDocumentsSet>(documents);
  }

 private:
  std::vector<Leaf> leaves_;
  std::vector<DocId> docids_;
};

}  // namespace

void exclude(const Lucene::BooleanQueryPtr& query, const std::vector<Leaf>& leaves,
             std::vector<DocId> docids) {
  if (docids.empty()) return;
  std::sort(docids.begin(), docids.end());
  docids.erase(std::unique(docids.begin(), docids.end()), docids.end());
  const Lucene::FilterPtr filter = Lucene::newLucene<ExcludedDocuments>(leaves, docids);
  query->add(Lucene::newLucene<Lucene::ConstantScoreQuery>(filter),
             Lucene::BooleanClause::MUST_NOT);
}

bool is_exclusion(const Lucene::Filter& filter) noexcept {
  return dynamic_cast<const ExcludedDocuments*>(&filter) != nullptr;
}

}  // namespace prescope::lucenepp
