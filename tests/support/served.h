#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include "prescope/measure.h"

/// Random rankings for the properties.
namespace prescope {

/// One topic's ranking, document by document, and the qrels' documents beyond it.
struct Served {
  std::vector<bool> relevant;  ///< of the document at rank 1, 2, ...
  std::uint32_t missing = 0;   ///< relevant documents of the collection that were not served
  std::uint32_t unserved = 0;  ///< other documents of the collection that were not served
  std::vector<Rank> ranks;     ///< of the relevant documents served
  std::uint32_t num_rel = 0;   ///< with the missing ones
  std::uint64_t collection_size = 0;

  [[nodiscard]] JudgedRanks judged() const {
    return {.num_rel = num_rel,
            .relevant = ranks,
            .num_ret = static_cast<std::uint32_t>(relevant.size()),
            .collection_size = collection_size};
  }
};

inline std::ostream& operator<<(std::ostream& out, const Served& served) {
  out << "n = " << served.num_rel << ", " << served.relevant.size() << " of "
      << served.collection_size << " served, relevant at";
  for (const Rank rank : served.ranks) out << ' ' << rank;
  return out;
}

inline Served served_of(std::vector<bool> relevant, std::uint32_t missing, std::uint32_t unserved) {
  Served served;
  served.relevant = std::move(relevant);
  served.missing = missing;
  served.unserved = unserved;
  for (std::size_t i = 0; i < served.relevant.size(); ++i) {
    if (served.relevant[i]) served.ranks.push_back(static_cast<Rank>(i + 1));
  }
  served.num_rel = static_cast<std::uint32_t>(served.ranks.size()) + missing;
  served.collection_size = served.relevant.size() + missing + unserved;
  return served;
}

/// Draws any number of [low, high). RapidCheck's own range reaches its full width only after many
/// cases.
template <class T>
rc::Gen<T> any_of_range(T low, T high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}

/// Up to 300 documents, sparse or dense in relevant ones, so that n is at times above a cutoff; at
/// least one relevant document.
inline rc::Gen<Served> any_served() {
  return rc::gen::exec([] {
    const auto depth = *any_of_range<std::size_t>(0, 301);
    const auto others = *rc::gen::element<std::size_t>(1, 4, 40);
    auto relevant = *rc::gen::container<std::vector<bool>>(
        depth, rc::gen::weightedElement<bool>({{others, false}, {1, true}}));
    const bool any = std::ranges::find(relevant, true) != relevant.end();
    return served_of(std::move(relevant), *any_of_range<std::uint32_t>(any ? 0 : 1, 40),
                     *any_of_range<std::uint32_t>(0, 500));
  });
}

inline rc::Gen<std::uint32_t> any_cutoff() { return any_of_range<std::uint32_t>(1, 400); }

}  // namespace prescope
