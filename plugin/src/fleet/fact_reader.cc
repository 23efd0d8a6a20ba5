#include "fleet/fact_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <ranges>

#include "base/split_mix.h"
#include "base/threads.h"
#include "facts/observation_fields.h"
#include "fleet/row_binary.h"

namespace prescope {

namespace {

/// Generations are numbers of one process.
std::uint64_t generation_of(std::uint64_t spool, std::uint32_t session, std::uint64_t generation) {
  if (generation == 0) return 0;
  constexpr std::uint64_t kLow = 0xFFFFFFFFU;
  const std::uint64_t of_process = SplitMix(spool ^ session).next();
  return SplitMix(of_process ^ generation >> 32U).next() << 32U | (generation & kLow);
}

/// Visits are numbered in their spool; 0 if unknown.
constexpr std::uint64_t kUnknownVisit = std::uint64_t{1} << 63U;

std::uint64_t visit_of(std::uint64_t spool, std::uint64_t visit) {
  return visit >= kUnknownVisit ? 0 : SplitMix(spool ^ visit).next() | 2U;
}

/// Makes facts of rows. Anybody who may write to the database may write anything: facts that make
/// no sense are left out.
class FactDecoder {
 public:
  FactDecoder(const FleetEpoch& epoch, std::uint64_t spool, FactPage& page)
      : epoch_(epoch), spool_(spool), page_(page) {}

  void decode(RowBinaryReader& row) {
    std::uint64_t seq = 0;
    std::uint32_t session = 0;
    std::string_view arm, topic;
    bool is_late = false;
    Fact fact;
    Observation& observation = fact.observation;
    read_row(row, seq, fact.order_ms, session, arm, topic, is_late);
    for_each_field([&](const auto& field) { read_value(row, observation.*field.member); });
    read_row(row, ranks_, positions_);
    if (std::exchange(before_, seq) == seq) return;  // it was sent twice
    ++page_.rows;
    const bool has_arm = find_arm(arm, observation), has_topic = find_topic(topic, observation);
    observation.visit = is_late ? FactReader::kLateVisit : visit_of(spool_, observation.visit);
    observation.generation = generation_of(spool_, session, observation.generation);
    if (has_arm && has_topic && add_hits(observation)) {
      page_.facts.push_back(fact);
    } else {
      ++page_.senseless;
    }
  }

 private:
  bool find_arm(std::string_view name, Observation& observation) const {
    const auto arm = std::ranges::find(
        epoch_.arms, name, [](const ArmFacts& of) { return std::string_view(of.id.text()); });
    observation.arm = ArmIndex(static_cast<std::uint32_t>(arm - epoch_.arms.begin()));
    return arm != epoch_.arms.end();
  }
  bool find_topic(std::string_view name, Observation& observation) const {
    const auto topic = epoch_.judged.qrels().find(name);
    observation.topic = topic.value_or(kUnjudgedTopic);
    return topic || name.empty();
  }
  bool add_hits(Observation& observation) {
    if (ranks_.size() != positions_.size()) return false;
    const std::size_t first = page_.hits.size();
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      page_.hits.push_back({ranks_[i], JudgementIndex(positions_[i])});
    }
    observation.hits = std::span(page_.hits).subspan(first);
    return make_sense(observation);
  }
  [[nodiscard]] bool make_sense(const Observation& observation) const {
    if (observation.topic == kUnjudgedTopic) return true;
    const auto judgements = epoch_.judged.qrels().topic(observation.topic).judgements().size();
    Rank last = 0;
    return std::ranges::all_of(observation.hits, [&](const JudgedHit& hit) {
      return std::exchange(last, hit.rank) < hit.rank && hit.judgement.value() < judgements;
    });
  }

  const FleetEpoch& epoch_;
  std::uint64_t spool_;
  FactPage& page_;
  std::vector<Rank> ranks_;               // of the row
  std::vector<std::uint32_t> positions_;  // of its hits, among the topic's judgements
  std::uint64_t before_ = 0;              // the number of the previous row
};

}  // namespace

FactPage FactReader::read(std::uint64_t spool, const std::vector<std::string>& servers,
                          std::uint64_t after, std::uint64_t up_to) {
  const auto names = servers | std::views::transform(sql_text);
  const std::string rows_of_page = fmt::format(
      "{}.observations WHERE {} AND server IN ({}) AND spool = {} AND seq > {} AND seq <= {}",
      fleet_.address().database, epoch_.name.condition(), fmt::join(names, ", "), spool, after,
      up_to);
  std::string answer;
  std::uint64_t rows = 0;
  {
    const std::lock_guard lock(asking_);
    answer = fleet_.ask(
        fmt::format("SELECT seq, order_ms, session, arm, topic, late, {}, ranks, positions"
                    " FROM {} ORDER BY seq, order_ms FORMAT RowBinary",
                    field_names(), rows_of_page));
    FleetRows(fleet_, "SELECT toUInt64(uniqExact(seq)) FROM {}", rows_of_page).read(rows);
  }
  FactPage page{.up_to = up_to};
  page.facts.reserve(up_to - after);
  page.hits.reserve(answer.size() / sizeof(Rank));  // no more ranks are in it, so it does not move
  FactDecoder decoder(epoch_, spool, page);
  for (RowBinaryReader read(answer); !read.at_end();) decoder.decode(read);
  if (page.rows != rows) {
    throw FleetUnavailable(
        fmt::format("{}: an answer has {} of {} rows", fleet_.address().text, page.rows, rows));
  }
  return page;
}

std::future<FactPage> FactReader::begin(std::uint64_t spool, std::vector<std::string> servers,
                                        std::uint64_t after, std::uint64_t up_to) {
  const BlockSignals meanwhile;
  return std::async([=, this] { return read(spool, servers, after, up_to); });
}

}  // namespace prescope
