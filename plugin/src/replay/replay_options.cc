#include "replay/replay_options.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "base/text_file.h"
#include "citations/citation_qrels.h"
#include "judgements/judgement_line.h"
#include "statistics/group_sequential.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

constexpr std::uint32_t kMaxDepth = 0x7FFFFFFF;
constexpr std::uint32_t kMaxThreads = 1024;
/// The default depth is at least this if a measure has no cutoff: it is of the whole ranking.
constexpr std::uint32_t kWholeRanking = 1000;

constexpr std::array<std::string_view, 2> kOffOn = {"off", "on"};
constexpr std::array<std::string_view, 2> kTopicSources = {"file", "documents"};
constexpr std::array<std::string_view, 3> kExclusions = {"none", "self", "family"};

struct Range {
  std::int64_t least, most;
};
using Limits = std::numeric_limits<std::int64_t>;

/// " or with --engine", for a key that has a flag.
std::string or_by_flag(std::string_view key) {
  const auto known = std::ranges::find(kOptionKeys, key, &OptionKey::key);
  return known == kOptionKeys.end() || known->flag.empty()
             ? ""
             : fmt::format(" or with {}", known->flag);
}

class Resolver {
 public:
  /// `place` is the experiment file.
  Resolver(const RawOptions& raw, std::string place, OptionProblems& problems)
      : raw_(raw), place_(std::move(place)), problems_(problems) {}

  ReplayOptions resolve() {
    options_.name = text("name", "replay");
    options_.note = text("note");
    options_.threads = integer<std::uint32_t>("threads", {1, kMaxThreads}, 1);
    options_.seed = integer<std::uint64_t>("seed", {0, Limits::max()}, 1);
    resolve_measures();
    resolve_depth();
    resolve_qrels();
    resolve_topics();
    resolve_arms();
    return std::move(options_);
  }

  LiveOptions resolve_live() {
    LiveOptions live;
    options_.name = text("name", "experiment");
    options_.note = text("note");
    resolve_measures();
    resolve_qrels();
    options_.topics = text("topics.path");
    resolve_slices();
    resolve_arm_names();
    live.mode = static_cast<Mode>(choice("live.mode", kModeWords).value_or(0));
    resolve_primary(live);
    resolve_alpha(live);
    live.salt = text("live.salt", options_.name);
    with("live.shares", [&](const std::string& item) { add_share(live.shares, item); });
    options_.qrels_options.collapses = choice("live.collapse", kOffOn).value_or(0) == 1;
    constexpr auto kDefault = static_cast<std::size_t>(ShadowOptions::Latency::kNotCompared);
    live.latency = static_cast<ShadowOptions::Latency>(
        choice("live.latency", kShadowLatencyWords).value_or(kDefault));
    resolve_overlap(live.overlap);
    constexpr std::int64_t kHour = 3600;
    live.wait = std::chrono::seconds(integer<std::int64_t>("live.wait_s", {1, kHour}, 60));
    live.ubi = {.arm = text("live.ubi_arm", live.ubi.arm),
                .topic = text("live.ubi_topic", live.ubi.topic)};
    resolve_test(live);
    live.actions = resolve_actions();
    live.experiment = std::move(options_);
    return live;
  }

  ActionOptions resolve_actions() {
    ActionOptions actions;
    actions.command = text("actions.command");
    actions.url = text("actions.url");
    actions.journal = text("actions.journal");
    constexpr std::int64_t kDay = 86'400;
    actions.time_limit =
        std::chrono::seconds(integer<std::int64_t>("actions.limit_s", {1, kDay}, 60));
    if (find("actions.on") != nullptr) actions.on.clear();
    with("actions.on",
         [&](const std::string& item) { add_once(actions.on, parse_event_kind(item)); });
    const bool has_action =
        raw_.values.contains("actions.command") || raw_.values.contains("actions.url");
    for (const OptionKey& key : kActionKeys) {
      const RawValue* const value = find(key.key);
      if (value == nullptr || has_action) continue;
      problems_.add(value->place, fmt::format("{} has no effect without a command or a URL; set "
                                              "actions.command, actions.url or their flags",
                                              key.key));
    }
    return actions;
  }

 private:
  [[nodiscard]] const RawValue* find(std::string_view key) const {
    const auto found = raw_.values.find(key);
    return found == raw_.values.end() || found->second.refused ? nullptr : &found->second;
  }

  /// Runs `use` on the value; an Error it throws becomes a problem at the value's place.
  template <class Use>
  void with(std::string_view key, Use&& use) {
    const RawValue* value = find(key);
    if (value == nullptr) return;
    for (const std::string& item : value->items) {
      try {
        use(item);
      } catch (const Error& error) {
        problems_.add(value->place, error.what());
      }
    }
  }

  std::string text(std::string_view key, std::string_view otherwise = "") {
    const RawValue* value = find(key);
    if (value == nullptr) return std::string(otherwise);
    if (value->items.front().empty()) problems_.add(value->place, fmt::format("{} is empty", key));
    return value->items.front();
  }

  std::string required(std::string_view key) {
    if (!raw_.values.contains(key)) {
      problems_.add(place_, fmt::format("has no {}; set it in the file{}", key, or_by_flag(key)));
    }
    return text(key);
  }

  std::optional<std::int64_t> integer_in(std::string_view key, const std::string& item,
                                         std::string_view place, Range range) {
    const auto number = whole_number<std::int64_t>(item);
    if (number && *number >= range.least && *number <= range.most) return number;
    problems_.add(place, fmt::format("{} is '{}'; expected an integer {}", key, item,
                                     range_words(range.least, range.most)));
    return std::nullopt;
  }

  template <class Integer>
  Integer integer(std::string_view key, Range range, Integer otherwise) {
    const RawValue* value = find(key);
    if (value == nullptr) return otherwise;
    const auto number = integer_in(key, value->items.front(), value->place, range);
    return number ? static_cast<Integer>(*number) : otherwise;
  }

  void resolve_measures() {
    const RawValue* cutoffs = find("cutoffs");
    const RawValue* measures = find("measures");
    if (cutoffs != nullptr && measures != nullptr) {
      problems_.add(cutoffs->place,
                    "cutoffs and measures exclude each other: measures carry their own cutoffs");
    }
    for (const RawValue* list : {cutoffs, measures}) {
      if (list != nullptr && list->items.empty()) problems_.add(list->place, "the list is empty");
    }
    with("measures",
         [&](const std::string& item) { add_once(options_.measures, Measure::parse(item)); });
    if (measures == nullptr) options_.measures = default_measures(cutoff_list(cutoffs));
  }

  template <class Value>
  static void add_once(std::vector<Value>& list, const Value& value) {
    if (std::ranges::count(list, value) == 0) list.push_back(value);
  }

  std::vector<Cutoff> cutoff_list(const RawValue* written) {
    if (written == nullptr) return {Cutoff(100), Cutoff(1000)};
    std::vector<Cutoff> cutoffs;
    for (const std::string& item : written->items) {
      const auto number = integer_in("cutoffs", item, written->place, {1, kMaxDepth});
      add_once(cutoffs, Cutoff(static_cast<std::uint32_t>(number.value_or(1))));
    }
    return cutoffs;
  }

  void resolve_depth() {
    const auto deepest = std::ranges::max_element(options_.measures, {}, &Measure::cutoff);
    const bool has_cutoff = deepest != options_.measures.end() && deepest->cutoff();
    const std::uint32_t needed = has_cutoff ? deepest->cutoff()->value() : 0;
    const auto without_cutoff =
        std::ranges::count(options_.measures, std::optional<Cutoff>(), &Measure::cutoff);
    options_.depth = integer<std::uint32_t>(
        "depth", {1, kMaxDepth}, without_cutoff > 0 ? std::max(needed, kWholeRanking) : needed);
    if (options_.depth < needed) {
      problems_.add(find("depth")->place,
                    fmt::format("depth is {}; expected at least {}, the cutoff of {}",
                                options_.depth, needed, deepest->name()));
    }
  }

  void resolve_qrels() {
    options_.qrels = required("qrels.path");
    QrelsOptions& qrels = options_.qrels_options;
    qrels.docno = DocnoPolicy::kPatent;
    with("qrels.docno", [&](const std::string& item) { qrels.docno = parse_docno_policy(item); });
    qrels.family_map = text("qrels.family_map");
    if (qrels.docno == DocnoPolicy::kFamily && qrels.family_map.empty() &&
        !is_citation_store(options_.qrels)) {
      problems_.add(find("qrels.docno")->place,
                    "docno policy family needs a map file; set qrels.family_map or --family-map");
    }
    qrels.min_grade = integer<Grade>("qrels.min_grade", kGrades, 1);
    qrels.rule = text("qrels.rule");
    for (const auto& [key, value] : raw_.values) {
      if (key.starts_with(kCategories)) resolve_category(key.substr(kCategories.size()), value);
    }
  }

  void resolve_category(const std::string& letter, const RawValue& value) {
    try {
      set_category(options_.qrels_options.categories, letter, value.items.front());
    } catch (const Error& error) {
      problems_.add(value.place, error.what());
    }
  }

  /// Returns the value's position among `names`; std::nullopt if it is missing or unknown.
  std::optional<std::size_t> choice(std::string_view key, std::span<const std::string_view> names) {
    std::optional<std::size_t> chosen;
    with(key, [&](const std::string& item) {
      const auto found = std::ranges::find(names, item);
      if (found == names.end()) {
        throw Error(ErrorCode::kUsage, unknown_name_message(key, item, names));
      }
      chosen = static_cast<std::size_t>(found - names.begin());
    });
    return chosen;
  }

  void resolve_topics() {
    options_.topics = text("topics.path");
    const auto source = choice("topics.source", kTopicSources);
    const bool from_file = source ? *source == 0 : !options_.topics.empty();
    options_.topic_source = from_file ? TopicSource::kFile : TopicSource::kDocuments;
    if (source && from_file && options_.topics.empty()) {
      problems_.add(find("topics.source")->place,
                    "topics.source is file; set topics.path or --topics to that file");
    }
    if (source && !from_file && !options_.topics.empty()) {
      problems_.add(find("topics.path")->place,
                    "topics.path has no meaning if topics.source is documents; remove one");
    }
    const auto exclude = choice("topics.exclude", kExclusions);
    options_.exclude = exclude     ? static_cast<Exclusion>(*exclude)
                       : from_file ? Exclusion::kNone
                                   : Exclusion::kFamily;
    options_.exclude_pairs = text("topics.exclude_pairs");
    resolve_slices();
  }

  void resolve_slices() {
    options_.slices.file = text("slices.path");
    with("slices.by", [&](const std::string& item) { options_.slices.by.push_back(item); });
  }

  void resolve_primary(LiveOptions& live) {
    with("live.primary", [&](const std::string& item) {
      live.primary = Measure::parse(item).name();
      std::vector<std::string> names;
      for (const Measure& measure : options_.measures) names.push_back(measure.name());
      if (std::ranges::count(names, live.primary) > 0) return;
      throw usage_error("live.primary is {}; expected one of the measures: {}", live.primary,
                        fmt::join(names, ", "));
    });
  }

  void resolve_alpha(LiveOptions& live) {
    with("live.alpha", [&](const std::string& item) {
      live.alpha = whole_number<double>(item).value_or(0.0);
      if (live.alpha > 0.0 && live.alpha <= 0.5) return;
      throw usage_error("live.alpha is '{}'; expected a number above 0 and at most 0.5", item);
    });
  }

  /// What the values must be is checked with the experiment's other options.
  void resolve_overlap(OverlapOptions& overlap) {
    with("live.overlap",
         [&](const std::string& item) { overlap.sampling = number("overlap", item); });
    overlap.depth = integer<std::uint32_t>("live.overlap_depth", {0, UINT32_MAX}, overlap.depth);
    with("live.overlap_persistence", [&](const std::string& item) {
      overlap.persistence = number("overlap_persistence", item);
    });
  }

  /// Likewise.
  void resolve_test(LiveOptions& live) {
    TestOptions& test = live.test;
    test.plan.topics = integer<std::uint32_t>("test.topics", {0, UINT32_MAX}, 0);
    std::vector<double> looks;
    with("test.looks", [&](const std::string& item) { looks.push_back(number("look", item)); });
    if (!looks.empty()) test.plan.looks = std::move(looks);
    test.plan.spending = static_cast<Spending>(choice("test.spending", kSpendingNames).value_or(0));
    with("test.live_alpha",
         [&](const std::string& item) { test.plan.live_alpha = number("live_alpha", item); });
    with("test.guardrails",
         [&](const std::string& item) { test.guardrails.push_back(read_guardrail(item)); });
    with("test.same_within",
         [&](const std::string& item) { test.same_within = number("same_within", item); });
  }

  static double number(std::string_view name, const std::string& item) {
    const auto value = whole_number<double>(item);
    if (!value) throw usage_error("{} is '{}'; expected a number", name, item);
    return *value;
  }

  void resolve_arm_names() {
    if (raw_.arms.empty()) {
      problems_.add(place_, "has no arms; expected at least one [[arms]] table, or --arm NAME");
    }
    for (const ReplayArm& arm : raw_.arms) {
      check_arm_name(arm);
      options_.arms.push_back(arm);
    }
  }

  void resolve_arms() {
    resolve_arm_names();
    const auto is_needed = [&](const auto& of_arm) {
      return raw_.arms.empty() || std::ranges::any_of(raw_.arms, [&](const ReplayArm& arm) {
               return (arm.*of_arm).empty();
             });
    };
    const std::string engine = is_needed(&ReplayArm::engine) ? required("engine") : "";
    const std::string index = is_needed(&ReplayArm::index) ? required("index") : "";
    for (ReplayArm& arm : options_.arms) {
      if (!arm.engine.empty() && arm.index.empty()) {
        problems_.add(arm.place, fmt::format("arm '{}' names an engine of its own and no index; "
                                             "set index in the arm too",
                                             arm.config.id.text()));
      }
      if (arm.engine.empty()) arm.engine = engine;
      if (arm.index.empty()) arm.index = index;
    }
  }

  void check_arm_name(const ReplayArm& arm) {
    const std::string& name = arm.config.id.text();
    const bool is_clean = std::ranges::none_of(name, [](char c) {
      return static_cast<unsigned char>(c) <= ' ' || c == '/' || c == ',' || c == ':' || c == '=' ||
             c == '\x7f';
    });
    if (!is_clean || name.starts_with('.')) {
      problems_.add(
          arm.place,
          fmt::format("arm name '{}'; it names files and is written in lists: expected no "
                      "white space, none of / , : = and no leading dot",
                      name));
    }
    for (const ReplayArm& earlier : options_.arms) {
      if (!name.empty() && earlier.config.id == arm.config.id) {
        problems_.add(arm.place, fmt::format("arm '{}' is there twice; names must differ", name));
      }
    }
  }

  static constexpr Range kGrades{std::numeric_limits<Grade>::min(),
                                 std::numeric_limits<Grade>::max()};

  const RawOptions& raw_;
  const std::string place_;
  OptionProblems& problems_;
  ReplayOptions options_;
};

}  // namespace

std::string_view to_string(TopicSource source) noexcept {
  return kTopicSources[static_cast<std::size_t>(source)];
}

std::string_view to_string(Exclusion exclusion) noexcept {
  return kExclusions[static_cast<std::size_t>(exclusion)];
}

namespace {

/// Returns `resolve(resolver)` if there is no problem.
template <class Resolve>
auto resolved(const std::filesystem::path& path, const ReplayFlags& flags, const Resolve& resolve) {
  OptionProblems problems;
  RawOptions raw = read_experiment_file(path, problems);
  override_options(flags, raw, problems);
  Resolver resolver(raw, path.string(), problems);
  auto options = resolve(resolver);
  problems.throw_if_any();
  return options;
}

}  // namespace

ReplayOptions read_replay_options(const std::filesystem::path& path, const ReplayFlags& flags) {
  return resolved(path, flags, [](Resolver& resolver) { return resolver.resolve(); });
}

LiveOptions read_live_options(const std::filesystem::path& path, const ReplayFlags& flags) {
  return resolved(path, flags, [](Resolver& resolver) { return resolver.resolve_live(); });
}

ActionOptions read_action_options(const ReplayFlags& flags) {
  OptionProblems problems;
  RawOptions raw;
  override_options(flags, raw, problems);
  ActionOptions actions = Resolver(raw, "", problems).resolve_actions();
  problems.throw_if_any();
  return actions;
}

}  // namespace prescope
