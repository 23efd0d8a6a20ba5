#include "store/sessions/observation_line.h"

#include <fmt/format.h>
#include <iterator>

#include "base/json_lines.h"

namespace prescope {

namespace {

constexpr std::pair<RankingFlags, std::string_view> kFlagNames[] = {
    {RankingFlags::kSorted, "sorted"},       {RankingFlags::kRetried, "retried"},
    {RankingFlags::kPartial, "partial"},     {RankingFlags::kDeepened, "deepened"},
    {RankingFlags::kUntimed, "untimed"},     {RankingFlags::kShadow, "shadow"},
    {RankingFlags::kFailed, "failed"},       {RankingFlags::kTimedOut, "timed_out"},
    {RankingFlags::kUnseen, "unseen"},       {RankingFlags::kFiltered, "filtered"},
    {RankingFlags::kCollapsed, "collapsed"}, {RankingFlags::kSeveralDocnos, "several_docnos"},
    {RankingFlags::kRepeated, "repeated"},   {RankingFlags::kReplaced, "replaced"},
};

/// Members of an object in one line.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }

  std::string& key(std::string_view name) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    append_json_text(out_, name);
    return out_ += ':';
  }
  void text(std::string_view name, std::string_view value) { append_json_text(key(name), value); }
  template <class Value>
  void number(std::string_view name, Value value) {
    fmt::format_to(std::back_inserter(key(name)), "{}", value);
  }
  void number(std::string_view name, std::optional<double> value) {
    value ? number(name, *value) : void(key(name) += "null");
  }
  void flag(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
  template <class Values, class Append>
  void list(std::string_view name, const Values& values, Append append) {
    key(name) += '[';
    bool is_first = true;
    for (const auto& value : values) {
      if (!std::exchange(is_first, false)) out_ += ',';
      append(value);
    }
    out_ += ']';
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

void add_facts(Members& json, const Observation& observation) {
  json.number("visit", observation.visit);
  if (observation.visit_key != 0) {
    json.text("visit_key", fmt::format("{:016x}", observation.visit_key));
  }
  json.number("compared_arms", observation.compared_arms);
  json.number("generation", observation.generation);
  json.number("documents", observation.collection_size);
  json.number("first_rank", observation.first_rank);
  json.number("depth", observation.requested_depth);
  json.number("num_ret", observation.num_ret);
  json.number("covered", observation.covered);
  json.flag("exhausted", observation.is_exhausted);
  json.number("total_hits", observation.total_hits);
  json.number("duplicates", observation.duplicates);
  json.number("latency_ms", latency_ms(observation));
  json.number("self_us", std::chrono::duration<double, std::micro>(observation.self_time).count());
}

void add_found(Members& json, const StoredObservation& one, const ObservationScores& scores,
               std::string& out) {
  json.number("num_rel", one.topic->num_rel());
  json.list("ranks", scores.relevant(), [&](Rank rank) { out += fmt::to_string(rank); });
  json.list("docnos", relevant_docnos(one),
            [&](std::string_view docno) { append_json_text(out, docno); });
}

}  // namespace

std::vector<std::string_view> flag_names(RankingFlags flags) {
  std::vector<std::string_view> names;
  for (const auto& [flag, name] : kFlagNames) {
    if (has(flags, flag)) names.push_back(name);
  }
  return names;
}

std::vector<std::string_view> relevant_docnos(const StoredObservation& one) {
  std::vector<std::string_view> docnos;
  if (one.topic == nullptr) return docnos;
  for (const JudgedHit& hit : one.observation.hits) {
    if (!one.topic->is_relevant(hit.judgement)) continue;
    docnos.emplace_back(one.topic->judgements()[hit.judgement.value()].docno.text());
  }
  return docnos;
}

std::optional<double> latency_ms(const Observation& observation) noexcept {
  if (has(observation.flags, RankingFlags::kUntimed) || observation.latency.count() < 0) {
    return std::nullopt;
  }
  return std::chrono::duration<double, std::milli>(observation.latency).count();
}

void append_json_line(std::string& out, const StoredObservation& one,
                      const ObservationScores* scores) {
  Members json(out);
  json.text("time", utc_text(one.time));
  json.text("experiment", one.experiment);
  json.number("session", one.session);
  json.number("seq", one.seq);
  json.text("qrels", one.qrels);
  json.text("arm", one.arm);
  json.text("config", one.config);
  if (scores != nullptr) json.text("topic", one.topic->id().text());
  add_facts(json, one.observation);
  if (scores != nullptr) add_found(json, one, *scores, out);
  json.text("stage", one.stage);
  json.list("flags", flag_names(one.observation.flags),
            [&](std::string_view name) { append_json_text(out, name); });
  for (std::size_t m = 0; scores != nullptr && m < scores->values().size(); ++m) {
    json.number(scores->measures()[m].name(), scores->values()[m]);
  }
  out += "}\n";
}

}  // namespace prescope
