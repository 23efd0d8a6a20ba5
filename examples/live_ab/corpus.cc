#include "corpus.h"

#include <cstdint>
#include <utility>

#include "quickstart/collection.h"
#include "quickstart/text.h"

namespace live_ab {
namespace {

using quickstart::Collection;

constexpr std::uint32_t kUnjudgedQueries = 2000;

std::vector<Patent> patents_of(const Collection& collection) {
  std::vector<Patent> patents;
  for (std::uint32_t i = 0; i < collection.publications.size(); ++i) {
    quickstart::PatentText text = quickstart::make_text(collection, i);
    patents.push_back({collection.publications[i].docno, std::move(text.title),
                       text.abstract + " " + text.claims});
  }
  return patents;
}

prescope::Qrels citations_of(const Collection& collection) {
  std::vector<prescope::Qrels::Line> lines;
  for (const quickstart::Citation& citation : collection.citations) {
    const std::uint32_t topic = collection.topics[citation.topic];
    lines.push_back({prescope::TopicId{collection.publications[topic].docno},
                     prescope::Docno{collection.publications[citation.publication].docno}, 1});
  }
  return prescope::Qrels::from_lines(lines);
}

}  // namespace

Corpus make_corpus(const Options& options) {
  const Collection collection = quickstart::make_collection(
      {.seed = options.seed, .documents = options.documents, .topics = options.topics});
  Corpus corpus{patents_of(collection), {}, {}, citations_of(collection)};
  for (const std::uint32_t topic : collection.topics) {
    const Patent& patent = corpus.patents[topic];
    corpus.judged.push_back({prescope::TopicId{patent.docno}, patent.title});
  }
  for (std::uint32_t i = 0; i < kUnjudgedQueries; ++i) {
    const auto at = std::uint64_t{i} * corpus.patents.size() / kUnjudgedQueries;
    corpus.unjudged.push_back(corpus.patents[at].title);
  }
  return corpus;
}

}  // namespace live_ab
