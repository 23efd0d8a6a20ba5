#include "store/sessions/captured_rankings.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

namespace prescope {

namespace {

class Captures {
 public:
  void add(const StoredObservation& one) {
    const Observation& observed = one.observation;
    const bool has_keys = !observed.captured_keys.empty();
    if (one.topic == nullptr || (!has_keys && observed.captured_docids.empty())) return;
    CapturedRankings& rankings = of(one);
    rankings.kind = has_keys ? CapturedRankings::Kind::kKeys : CapturedRankings::Kind::kDocids;
    rankings.collection_size = std::max(rankings.collection_size, observed.collection_size);
    if (!has_keys && observed.generation != rankings.generation) begin_generation(rankings, one);
    std::vector<std::uint64_t>& ranking = rankings.topics[one.topic->id().text()];
    // A later page goes on where the page before it ended.
    if (observed.first_rank > ranking.size() + 1) {
      ++rankings.left_out;
      if (ranking.empty()) rankings.topics.erase(one.topic->id().text());
      return;
    }
    ranking.resize(observed.first_rank - 1);
    if (has_keys) {
      ranking.insert(ranking.end(), observed.captured_keys.begin(), observed.captured_keys.end());
    } else {
      for (const DocId docid : observed.captured_docids) ranking.push_back(docid.value());
    }
    note_end(one, ranking.size());
  }

  std::vector<CapturedRankings> take() {
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].cut_off = cut_off_[i].size();
    return std::move(all_);
  }

 private:
  CapturedRankings& of(const StoredObservation& one) {
    const auto [at, is_new] = places_.try_emplace({one.session, std::string(one.arm)}, all_.size());
    if (is_new) {
      cut_off_.emplace_back();
      all_.push_back({.session = one.session,
                      .experiment = std::string(one.experiment),
                      .arm = std::string(one.arm),
                      .generation = one.observation.generation});
    }
    place_ = at->second;
    return all_[place_];
  }

  /// Docids of before name other documents.
  void begin_generation(CapturedRankings& rankings, const StoredObservation& one) {
    rankings.left_out += rankings.topics.size();
    rankings.topics.clear();
    cut_off_[place_].clear();
    rankings.generation = one.observation.generation;
  }

  void note_end(const StoredObservation& one, std::size_t captured) {
    const std::string& topic = one.topic->id().text();
    const std::uint64_t served = one.observation.first_rank - 1 + one.observation.num_ret;
    if (captured < served) {
      cut_off_[place_].insert(topic);
    } else {
      cut_off_[place_].erase(topic);
    }
  }

  std::vector<CapturedRankings> all_;
  std::vector<std::set<std::string>> cut_off_;  // topics, as all_
  std::map<std::pair<std::int64_t, std::string>, std::size_t> places_;
  std::size_t place_ = 0;  // of the observation that is being added
};

}  // namespace

std::vector<CapturedRankings> read_captured_rankings(const std::filesystem::path& store,
                                                     const ObservationFilter& filter) {
  ObservationReader reader(store);
  reader.require_known(filter);
  Captures captures;
  (void)reader.read(filter, 0, [&](const StoredObservation& one) { captures.add(one); });
  return captures.take();
}

bool looks_like_store(const std::filesystem::path& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::array<char, kMagic.size()> head{};
  std::ifstream file(path, std::ios::binary);
  return path != "-" && file.read(head.data(), head.size()) &&
         std::string_view(head.data(), head.size()) == kMagic;
}

}  // namespace prescope
