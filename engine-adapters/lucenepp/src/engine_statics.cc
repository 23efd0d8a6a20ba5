#include "engine_statics.h"

#include <mutex>

#include <lucene++/LuceneHeaders.h>

#include <lucene++/FieldCache.h>
#include <lucene++/Similarity.h>

namespace prescope::lucenepp {

void make_engine_statics() {
  static std::once_flag made;
  std::call_once(made, [] {
    Lucene::Similarity::getDefault();
    Lucene::Similarity::decodeNorm(0);
    Lucene::FieldCache::DEFAULT();
    Lucene::TopScoreDocCollector::create(1, true)->topDocs();  // the empty answer
  });
}

}  // namespace prescope::lucenepp
