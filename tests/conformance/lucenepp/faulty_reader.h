#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <new>

#include <lucene++/LuceneHeaders.h>

#include <lucene++/FilterIndexReader.h>

namespace prescope::conformance {

/// The faults of a FaultyReader, shared with the test that controls it.
struct Faults {
  std::atomic<bool> terms_throw{false};        ///< while resolving
  std::atomic<bool> terms_need_memory{false};  ///< while resolving: there is none
  std::atomic<bool> term_docs_throw{false};    ///< while searching
  std::function<void()> during_resolving{};    ///< before each segment's terms are read
  std::function<void()> during_search{};       ///< before each segment is searched
  std::atomic<int> scans{0};                   ///< how often terms were asked for
};

/// One segment that counts its scans, and fails on demand.
class FaultyReader : public Lucene::FilterIndexReader {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  FaultyReader(const Lucene::IndexReaderPtr& inner, const std::shared_ptr<Faults>& faults)
      : Lucene::FilterIndexReader(inner), faults_(faults) {}
  LUCENE_CLASS(FaultyReader)

  /// A MultiReader over each segment of `reader`, wrapped.
  static Lucene::IndexReaderPtr wrap_segments(const Lucene::IndexReaderPtr& reader,
                                              const std::shared_ptr<Faults>& faults);

  Lucene::TermEnumPtr terms(const Lucene::TermPtr& from) override {
    ++faults_->scans;
    if (faults_->during_resolving) faults_->during_resolving();
    if (faults_->terms_throw) {
      boost::throw_exception(Lucene::IOException(L"the disk is gone"));
    }
    if (faults_->terms_need_memory) throw std::bad_alloc();
    return Lucene::FilterIndexReader::terms(from);
  }
  Lucene::TermDocsPtr termDocs(const Lucene::TermPtr& term) override {
    if (faults_->term_docs_throw) {
      boost::throw_exception(Lucene::IOException(L"the disk is gone"));
    }
    if (faults_->during_search) faults_->during_search();
    return Lucene::FilterIndexReader::termDocs(term);
  }
  /// Returns itself, because no documents are ever added.
  Lucene::IndexReaderPtr reopen() override { return shared_from_this(); }
  using Lucene::FilterIndexReader::termDocs;
  using Lucene::FilterIndexReader::terms;
  Lucene::Collection<Lucene::IndexReaderPtr> getSequentialSubReaders() override { return {}; }

 private:
  std::shared_ptr<Faults> faults_;
};

inline Lucene::IndexReaderPtr FaultyReader::wrap_segments(const Lucene::IndexReaderPtr& reader,
                                                          const std::shared_ptr<Faults>& faults) {
  auto wrapped = Lucene::Collection<Lucene::IndexReaderPtr>::newInstance();
  for (const Lucene::IndexReaderPtr& segment : reader->getSequentialSubReaders()) {
    wrapped.add(Lucene::newLucene<FaultyReader>(segment, faults));
  }
  return Lucene::newLucene<Lucene::MultiReader>(wrapped, false);
}

}  // namespace prescope::conformance
