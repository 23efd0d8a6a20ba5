// The toy engine as a module, which the `prescope` program loads. An index is a file of lines
// "docno TAB words".
#include <fstream>
#include <iterator>
#include <sstream>

#include "own_engine.h"
#include "prescope/arm_settings.h"
#include "prescope/engine.h"
#include "prescope/error.h"

namespace own_engine {
namespace {

using prescope::Docno;
namespace fs = std::filesystem;

constexpr std::string_view kKeys[] = {"order"};
constexpr std::string_view kOrders[] = {"score", "docno"};
constexpr std::string_view kSettings[] = {"order  score or docno, default score"};

class Searcher final : public prescope::ArmSearcher {
 public:
  Searcher(ObservedSearcher searcher, Query::Order order, const prescope::DocnoNormalizer& docnos)
      : searcher_(std::move(searcher)), order_(order), docnos_(docnos) {}

  std::uint32_t search(const prescope::TopicQuery& asked,
                       std::vector<prescope::Hit>* hits) override {
    std::istringstream words{std::string(asked.text)};
    const Query query{.words = {std::istream_iterator<std::string>(words), {}},
                      .depth = asked.depth,
                      .order = order_,
                      .exclude = docids_of(asked.exclude)};
    const std::vector<Hit> served = searcher_.search(query);
    if (hits != nullptr) {
      hits->clear();
      for (const Hit& hit : served) {
        hits->push_back({Docno(index().document(hit.docid).docno), static_cast<float>(hit.score)});
      }
    }
    return static_cast<std::uint32_t>(served.size());
  }

 private:
  [[nodiscard]] const Index& index() const { return *searcher_.target().index; }
  [[nodiscard]] std::set<std::uint32_t> docids_of(std::span<const Docno> excluded) const {
    const prescope::DocnoSet excluded_patents(excluded, docnos_);
    std::set<std::uint32_t> docids;
    for (std::uint32_t docid = 0; docid < index().size(); ++docid) {
      if (excluded_patents.contains(index().document(docid).docno)) docids.insert(docid);
    }
    return docids;
  }

  ObservedSearcher searcher_;
  Query::Order order_;
  const prescope::DocnoNormalizer& docnos_;
};

class OpenedIndex final : public prescope::SearchIndex {
 public:
  OpenedIndex(std::shared_ptr<const Index> index, prescope::Experiment& experiment)
      : experiment_(experiment), index_(std::move(index)), observed_(index_, experiment) {}

  [[nodiscard]] std::uint64_t num_documents() const override { return index_->size(); }
  /// Returns std::nullopt: documents have no fields except their words.
  [[nodiscard]] std::optional<prescope::PatentDocument> document(const Docno&) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::unique_ptr<prescope::ArmSearcher> searcher(
      const prescope::ArmConfig& arm) override {
    prescope::ArmSettings settings(arm, kKeys);
    const auto order = settings.one_of("order", kOrders);
    settings.throw_if_any();
    return std::make_unique<Searcher>(observed_.searcher(arm.id.text()),
                                      static_cast<Query::Order>(order.value_or(0)),
                                      experiment_.judged().docnos());
  }

 private:
  prescope::Experiment& experiment_;
  std::shared_ptr<const Index> index_;
  ObservedIndex observed_;
};

class Module final : public prescope::Engine {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "own"; }
  [[nodiscard]] std::string_view version() const noexcept override { return "1"; }
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override {
    return kSettings;
  }
  /// `path`: a file of lines "docno TAB words".
  [[nodiscard]] std::unique_ptr<prescope::SearchIndex> open(
      const std::string& path, prescope::Experiment& experiment) override {
    std::vector<Document> documents;
    std::ifstream in(path);
    if (!in) throw prescope::Error(prescope::ErrorCode::kIo, path + ": cannot be read");
    for (Document one; std::getline(in, one.docno, '\t') && std::getline(in, one.text);) {
      documents.push_back(one);
    }
    return std::make_unique<OpenedIndex>(std::make_shared<const Index>(std::move(documents)),
                                         experiment);
  }
};

}  // namespace
}  // namespace own_engine

extern "C" prescope::Engine* prescope_engine(std::uint32_t api_version) {
  static own_engine::Module engine;
  return api_version == prescope::kEngineApiVersion ? &engine : nullptr;
}
