// The module that the `prescope` program loads at run time.
#include <limits>

#include "lucene_engine.h"

#include <lucene++/Lucene.h>

#include <lucene++/BooleanQuery.h>

namespace {

prescope::Engine& engine() {
  static prescope::lucenepp::LuceneEngine instance;
  return instance;
}

}  // namespace

extern "C" prescope::Engine* prescope_engine(std::uint32_t api_version) {
  if (api_version != prescope::kEngineApiVersion) return nullptr;
  // A patent as a query has thousands of terms. The limit is the process's, so only the program's
  // module raises it; a host sets its own.
  Lucene::BooleanQuery::setMaxClauseCount(std::numeric_limits<int32_t>::max());
  return &engine();
}
