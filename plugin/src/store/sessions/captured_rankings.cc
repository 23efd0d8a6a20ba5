#include "store/sessions/captured_rankings.h"

#include <algorithm>
#include <fstream>

namespace prescope {

namespace {

/// Returns the rankings of the observation's session and arm.
CapturedRankings& captured_of(const StoredObservation& one, std::vector<CapturedRankings>& all) {
  const auto known = std::ranges::find_if(all, [&](const CapturedRankings& each) {
    return each.session == one.session && each.arm == one.arm;
  });
  if (known != all.end()) return *known;
  return all.emplace_back(CapturedRankings{.session = one.session,
                                           .experiment = std::string(one.experiment),
                                           .arm = std::string(one.arm),
                                           .generation = one.observation.generation});
}

void add(const StoredObservation& one, std::vector<CapturedRankings>& all) {
  const Observation& observed = one.observation;
  const bool has_keys = !observed.captured_keys.empty();
  if (one.topic == nullptr || (!has_keys && observed.captured_docids.empty())) return;
  const std::string& topic = one.topic->id().text();
  CapturedRankings& rankings = captured_of(one, all);
  rankings.kind = has_keys ? CapturedRankings::Kind::kKeys : CapturedRankings::Kind::kDocids;
  rankings.collection_size = std::max(rankings.collection_size, observed.documents);
  if (!has_keys && observed.generation != rankings.generation) {
    // Docids of before name other documents.
    rankings.left_out += rankings.topics.size();
    rankings.topics.clear();
    rankings.cut_off.clear();
    rankings.generation = observed.generation;
  }
  std::vector<std::uint64_t>& ranking = rankings.topics[topic];
  // A later page continues at the end of the page before it.
  if (observed.first_rank > ranking.size() + 1) {
    ++rankings.left_out;
    if (ranking.empty()) rankings.topics.erase(topic);
    return;
  }
  ranking.resize(observed.first_rank - 1);
  ranking.insert(ranking.end(), observed.captured_keys.begin(), observed.captured_keys.end());
  for (const DocId docid : observed.captured_docids) ranking.push_back(docid.value());
  const std::uint64_t served = observed.first_rank - 1 + observed.num_ret;
  if (ranking.size() < served) {
    rankings.cut_off.insert(topic);
  } else {
    rankings.cut_off.erase(topic);
  }
}

}  // namespace

std::vector<CapturedRankings> read_captured_rankings(const std::filesystem::path& store,
                                                     const ObservationFilter& filter) {
  ObservationReader reader(store);
  reader.require_known(filter);
  std::vector<CapturedRankings> all;
  reader.read(filter, 0, [&](const StoredObservation& one) { add(one, all); });
  return all;
}

bool looks_like_store(const std::filesystem::path& path) {
  // A pipe is read only once: the bytes that were looked at here would be missing from the run.
  std::error_code unknown;
  if (path == "-" || !std::filesystem::is_regular_file(path, unknown)) return false;
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::array<char, kMagic.size()> head{};
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), head.size()) &&
         std::string_view(head.data(), head.size()) == kMagic;
}

}  // namespace prescope
