#include <algorithm>

#include "report/json_line.h"
#include "serve/topic_list.h"

namespace prescope::serve {
namespace {

/// Of the ranking served last, up to the measure's cutoff.
std::uint64_t found_in(const TopicRow::Arm& arm, const Measure& measure) {
  const auto cutoff = measure.cutoff();
  if (!cutoff) return arm.relevant_ranks.size();
  const auto end = std::ranges::upper_bound(arm.relevant_ranks, cutoff->value());
  return static_cast<std::uint64_t>(end - arm.relevant_ranks.begin());
}

class Writer {
 public:
  Writer(TopicList& list, const TopicQuery& query, JsonWriter& json)
      : list_(list), summary_(list.summary()), query_(query), json_(json) {
    for (const ArmSummary& arm : summary_.arms) names_.push_back(quoted_name(arm.id.text()));
  }

  void write() {
    const TopicList::Page page = list_.page(query_);
    add_query(page.matching);
    add_tally();
    json_.key("topics").begin('[');
    for (const std::uint32_t row : page.rows) add_topic(row);
    json_.end(']');
  }

 private:
  void add_query(std::size_t matching) {
    json_.key("measure").text(summary_.measures[query_.measure].name());
    json_.key("a").word(names_[query_.a]);
    json_.key("b").word(query_.b ? std::string_view(names_[*query_.b]) : "null");
    json_.key("total").number(std::uint64_t{summary_.rows.size()});
    json_.key("matching").number(std::uint64_t{matching});
    json_.key("page").number(std::uint64_t{query_.page});
    json_.key("size").number(std::uint64_t{query_.size});
    json_.key("sort").text(kTopicSorts[static_cast<std::size_t>(query_.sort)]);
    json_.key("order").text(kSortOrders[static_cast<std::size_t>(query_.order)]);
  }

  void add_tally() {
    const TopicTally& tally = list_.tally(query_);
    json_.key("wins").number(std::uint64_t{tally.wins});
    json_.key("ties").number(std::uint64_t{tally.ties});
    json_.key("losses").number(std::uint64_t{tally.losses});
    json_.key("strip").begin('[');
    constexpr int kBins = TopicTally::kBins;
    // In twentieths, so that every border is the double nearest to its decimals.
    for (int bin = 0; bin < kBins; ++bin) {
      json_.item().begin('{');
      json_.key("low").number(std::optional((bin - kBins / 2) / 20.0));
      json_.key("high").number(std::optional((bin + 1 - kBins / 2) / 20.0));
      json_.key("topics").number(std::uint64_t{tally.strip[static_cast<std::size_t>(bin)]});
      json_.end('}');
    }
    json_.end(']');
  }

  void add_topic(std::uint32_t position) {
    const TopicRow& row = summary_.rows[position];
    json_.item().begin('{');
    json_.key("topic").word(quoted_name(row.id.text()));
    json_.key("num_rel").number(std::uint64_t{row.num_rel});
    json_.key("difference").number(list_.difference(query_, position));
    json_.key("arms").begin('[');
    for (std::size_t a = 0; a < row.arms.size(); ++a) add_arm(a, row.arms[a]);
    json_.end(']');
    json_.end('}');
  }

  [[nodiscard]] std::optional<double> of_measure(
      const std::vector<std::optional<double>>& values) const {
    return query_.measure < values.size() ? values[query_.measure] : std::nullopt;
  }

  void add_arm(std::size_t a, const TopicRow::Arm& arm) {
    json_.item().begin('{');
    json_.key("name").word(names_[a]);
    truth(json_.key("seen"), arm.seen);
    json_.key("visits").number(arm.visits);
    json_.key("mean").number(of_measure(arm.means));
    json_.key("last").number(of_measure(arm.scores));
    json_.key("found").number(found_in(arm, summary_.measures[query_.measure]));
    json_.key("num_ret").number(std::uint64_t{arm.num_ret});
    json_.key("latency_ms").number(arm.latency_ms);
    json_.end('}');
  }

  TopicList& list_;
  const Summary& summary_;
  const TopicQuery& query_;
  JsonWriter& json_;
  std::vector<std::string> names_;  // quoted, by arm
};

}  // namespace

std::string topic_list_json(TopicList& list, const TopicQuery& query) {
  return json_line([&](JsonWriter& json) { Writer(list, query, json).write(); });
}

}  // namespace prescope::serve
