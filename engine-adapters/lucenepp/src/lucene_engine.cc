#include "lucene_engine.h"

#include "index_builder.h"
#include "prescope/lucenepp/ranker.h"
#include "search_index.h"
#include "text.h"

#include <lucene++/Constants.h>

namespace prescope::lucenepp {

LuceneEngine::LuceneEngine() : version_(to_utf8(Lucene::Constants::LUCENE_VERSION)) {}

std::span<const std::string_view> LuceneEngine::arm_settings() const noexcept {
  return ranker_settings();
}

std::unique_ptr<IndexBuilder> LuceneEngine::create(const std::filesystem::path& folder) {
  return std::make_unique<LuceneIndexBuilder>(folder);
}

std::unique_ptr<SearchIndex> LuceneEngine::open(const std::filesystem::path& folder,
                                                Experiment& experiment) {
  return std::make_unique<LuceneSearchIndex>(open_reader(folder), experiment);
}

}  // namespace prescope::lucenepp
