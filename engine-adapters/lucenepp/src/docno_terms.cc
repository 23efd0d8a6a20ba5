#include "docno_terms.h"

#include <algorithm>
#include <utility>

#include "prescope/error.h"
#include "text.h"

#include <lucene++/ReaderUtil.h>

namespace prescope::lucenepp {

std::vector<Leaf> leaves_of(const Lucene::IndexReaderPtr& reader) {
  return leaves_of(std::span(&reader, 1));
}

std::vector<Leaf> leaves_of(std::span<const Lucene::IndexReaderPtr> readers) {
  auto segments = Lucene::Collection<Lucene::IndexReaderPtr>::newInstance();
  for (const Lucene::IndexReaderPtr& reader : readers) {
    Lucene::ReaderUtil::gatherSubReaders(segments, reader);
  }
  std::vector<Leaf> leaves;
  std::uint32_t base = 0;
  for (const Lucene::IndexReaderPtr& segment : segments) {
    leaves.push_back({segment, base});
    base += static_cast<std::uint32_t>(segment->maxDoc());
  }
  return leaves;
}

void require_field(const std::vector<Leaf>& leaves, const std::wstring& field) {
  bool any_documents = false;
  for (const Leaf& leaf : leaves) {
    if (leaf.reader->getFieldNames(Lucene::IndexReader::FIELD_OPTION_INDEXED).contains(field))
      return;
    any_documents = any_documents || leaf.reader->numDocs() > 0;
  }
  if (!any_documents) return;
  throw Error(ErrorCode::kEngine,
              "the index has no indexed field '" + to_utf8(field) +
                  "', by which documents are matched with judgements; index each document's "
                  "docno there as one term (NOT_ANALYZED), or name the field that holds it");
}

DocnoTerms::DocnoTerms(Lucene::IndexReaderPtr leaf, std::wstring field)
    : leaf_(std::move(leaf)),
      field_(std::move(field)),
      terms_(leaf_->terms(Lucene::newLucene<Lucene::Term>(field_))),
      postings_(leaf_->termDocs()) {}

bool DocnoTerms::next() {
  // terms(t) stands on the first term already.
  if (std::exchange(started_, true) && !terms_->next()) return false;
  const Lucene::TermPtr term = terms_->term();
  if (!term || term->_field != field_) return false;
  const std::wstring& text = term->_text;
  const bool ascii = std::all_of(text.begin(), text.end(), [](wchar_t c) { return c < 0x80; });
  if (ascii && text.size() <= ascii_.size()) {
    std::transform(text.begin(), text.end(), ascii_.begin(),
                   [](wchar_t c) { return static_cast<char>(c); });
    docno_ = {ascii_.data(), text.size()};
  } else {
    docno_ = utf8_ = to_utf8(text);
  }
  return true;
}

const std::vector<std::int32_t>& DocnoTerms::documents() {
  documents_.clear();
  postings_->seek(terms_);
  while (postings_->next()) documents_.push_back(postings_->doc());
  return documents_;
}

}  // namespace prescope::lucenepp
