// The module that the `prescope` program loads at run time.
#include <string>
#include <utility>
#include <vector>

#include "prescope/engine.h"
#include "prescope/http/observed_http.h"

namespace prescope::http {
namespace {

class HttpArmSearcher : public ArmSearcher {
 public:
  explicit HttpArmSearcher(HttpSearcher searcher) : searcher_(std::move(searcher)) {}

  std::uint32_t search(const TopicQuery& query, std::vector<Hit>* hits) override {
    const Answer answer = searcher_.search(
        {.text = query.text, .topic = query.topic, .depth = query.depth, .exclude = query.exclude});
    if (hits != nullptr) {
      hits->clear();
      // Scores of several pages, or of several shards, do not always fall with the rank.
      for (const std::string& docno : answer.docnos) {
        const std::size_t below = answer.docnos.size() - hits->size();
        hits->push_back({Docno(docno), static_cast<float>(below)});
      }
    }
    return static_cast<std::uint32_t>(answer.docnos.size());
  }
  [[nodiscard]] std::vector<std::string> notes() const override { return searcher_.notes(); }

 private:
  HttpSearcher searcher_;
};

/// An index behind a URL.
class HttpIndex : public SearchIndex {
 public:
  HttpIndex(const std::string& url, Experiment& experiment) : http_(url, experiment) {}

  [[nodiscard]] std::uint64_t num_documents() const override { return http_.num_documents(); }
  /// Returns nothing, because engines name the fields of patents as they like.
  [[nodiscard]] std::optional<PatentDocument> document(const Docno&) const override {
    return std::nullopt;
  }
  /// Returns nothing, because an engine knows its own spelling of a docno only.
  [[nodiscard]] std::optional<std::vector<bool>> contains(std::span<const Docno>) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::string engine_version() const override { return http_.server(); }
  /// Scores fall by 1 from hit to hit, down to 1.
  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) override {
    return std::make_unique<HttpArmSearcher>(http_.searcher(arm));
  }

 private:
  mutable ObservedHttp http_;
};

/// Engines that answer in JSON over HTTP.
class HttpEngine : public Engine {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "http"; }
  /// Returns the version of prescope; the server has its own.
  [[nodiscard]] std::string_view version() const noexcept override { return PRESCOPE_HTTP_VERSION; }
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override {
    return http::arm_settings();
  }
  /// `index`: the URL of an index.
  [[nodiscard]] std::unique_ptr<SearchIndex> open(const std::string& index,
                                                  Experiment& experiment) override {
    return std::make_unique<HttpIndex>(index, experiment);
  }
};

}  // namespace
}  // namespace prescope::http

extern "C" prescope::Engine* prescope_engine(std::uint32_t api_version) {
  static prescope::http::HttpEngine engine;
  return api_version == prescope::kEngineApiVersion ? &engine : nullptr;
}
