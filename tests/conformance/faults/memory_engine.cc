#include "conformance/faults/memory_engine.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace prescope::conformance {
namespace {

std::uint32_t count(const std::string& text, const std::string& wanted) {
  std::istringstream words(text);
  std::uint32_t found = 0;
  for (std::string word; words >> word;) found += word == wanted ? 1 : 0;
  return found;
}

}  // namespace

std::vector<MemoryHit> MemoryEngine::search(const MemoryIndex& index,
                                            const Request& request) const {
  std::this_thread::sleep_for(delay);
  if (fails) throw std::runtime_error("the engine's own");
  std::vector<MemoryHit> hits;
  for (std::uint32_t docid = 0; docid < index.docs.size(); ++docid) {
    const std::uint32_t found = count(index.docs[docid].text, request.word);
    if (found > 0 || answers_all) hits.push_back({docid, static_cast<double>(found)});
  }
  std::ranges::sort(hits, [&](const MemoryHit& a, const MemoryHit& b) {
    if (request.order == Request::Order::kDocno) {
      const auto order = index.docs[a.docid].docno <=> index.docs[b.docid].docno;
      if (order != 0) return order < 0;
    } else if (a.score != b.score) {
      return a.score > b.score;
    }
    return a.docid < b.docid;
  });
  const auto first = std::min<std::size_t>(request.first_rank - 1, hits.size());
  hits.erase(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(first));
  hits.resize(std::min<std::size_t>(request.depth, hits.size()));
  return hits;
}

std::string_view MemoryEngine::read(const MemoryIndex& index, std::uint32_t docid) const {
  const std::string& docno = index.docs[docid].docno;
  if (has_unreadable_hit && docno == "EP1") throw std::runtime_error("a hit that cannot be read");
  return docno;
}

}  // namespace prescope::conformance
