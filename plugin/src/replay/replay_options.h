#pragma once

#include "base/toml_file.h"
#include "prescope/actions.h"
#include "prescope/engine.h"
#include "prescope/experiment_options.h"
#include "prescope/slices.h"

namespace prescope {

enum class ValueKind {
  kText,
  kPath,    ///< relative to the experiment file's folder, or as a flag to the current one; or a URL
  kEngine,  ///< a name, or the path of a module
  kInteger,
  kNumber,  ///< an integer or a fraction
  kTextList,
  kIntegerList,
  kNumberList,
};

/// An option of an experiment: a key of the experiment file and the flag that overrides it.
struct OptionKey {
  std::string_view key;  ///< "qrels.docno": key docno of the table [qrels]
  std::string_view flag;
  ValueKind kind;
  std::string_view value_name;
  std::string_view help;
};

/// All keys except the keys of arms and citation categories, in the order of the documentation.
inline constexpr std::array<OptionKey, 20> kOptionKeys{{
    {"name", "--name", ValueKind::kText, "TEXT", "Name of the experiment"},
    {"note", "--note", ValueKind::kText, "TEXT", "Words about the data, shown with the results"},
    {"engine", "--engine", ValueKind::kEngine, "NAME", "Engine's name, or path of its module"},
    {"index", "--index", ValueKind::kPath, "DIR", "Index to search: a path, or a URL"},
    {"cutoffs", "--cutoffs", ValueKind::kIntegerList, "N,N",
     "N_max values for PRES, R and AP (100,1000)"},
    {"measures", "--measures", ValueKind::kTextList, "M,M",
     "Measures instead of those, such as PRES@100,P@10"},
    {"depth", "--depth", ValueKind::kInteger, "N",
     "Hits to ask for (the largest cutoff, 1000 or more if a measure has none)"},
    {"threads", "--threads", ValueKind::kInteger, "N", "Queries at the same time (1)"},
    {"seed", "--seed", ValueKind::kInteger, "N",
     "Seed of the arms' random order in each topic (1)"},
    {"qrels.path", "--qrels", ValueKind::kPath, "FILE", "Citation judgements"},
    {"qrels.docno", "--docno", ValueKind::kText, "POLICY",
     "Docnos that are the same document: raw, publication, patent, family (patent, because an "
     "index holds publications where judgements name patents)"},
    {"qrels.family_map", "--family-map", ValueKind::kPath, "FILE",
     "Lines 'docno family': tests count topics of one family once, and docno policy family matches "
     "by it"},
    {"qrels.min_grade", "--min-grade", ValueKind::kInteger, "N",
     "Grade from which a document is relevant (1)"},
    {"qrels.rule", "--rule", ValueKind::kText, "RULE",
     "How citations of a citation store are judged: examiner, clef-ip,direct, ... (examiner)"},
    {"topics.source", "--topics-source", ValueKind::kText, "KIND",
     "file, or documents: each topic is the indexed document of this id"},
    {"topics.path", "--topics", ValueKind::kPath, "FILE",
     "Topics: 'id TAB text' lines, or JSON lines"},
    {"topics.exclude", "--exclude", ValueKind::kText, "WHAT",
     "Documents left out of a topic's ranking: none, self or family"},
    {"topics.exclude_pairs", "--exclude-pairs", ValueKind::kPath, "FILE",
     "Lines 'topic docno' of further documents to leave out"},
    {"slices.path", "--slices", ValueKind::kPath, "FILE",
     "Slices of the topics: a table 'topic TAB slice' or with named columns, JSON lines with id, "
     "or a citation store"},
    {"slices.by", "--slice-by", ValueKind::kTextList, "D,D",
     "Dimensions of the slices: columns or fields of that file, section, country, year, relevant"},
}};

/// Keys of the table [live], for experiments that are fed with what was served elsewhere.
inline constexpr std::array<OptionKey, 13> kLiveKeys{{
    {"live.mode", "--mode", ValueKind::kText, "MODE",
     "How arms come to answer: observe, paired or split (observe)"},
    {"live.primary", "--primary", ValueKind::kText, "MEASURE",
     "Measure that the verdict is about (the first)"},
    {"live.alpha", "--alpha", ValueKind::kNumber, "P",
     "Chance that any verdict is ever wrong (0.05)"},
    {"live.salt", "--salt", ValueKind::kText, "TEXT",
     "Salt of the hash that gives topics to arms in mode split (the experiment's name)"},
    {"live.shares", "--shares", ValueKind::kTextList, "A=X,B=X",
     "Relative shares of the topics that arms serve in mode split: old=19,new=1 (1 each)"},
    {"live.latency", "--latency", ValueKind::kText, "HOW",
     "Rankings that are compared in mode paired: 'not compared' (the served one with the others', "
     "whose latency is not compared), 'both arms', 'both arms twice', 'both arms alike'"},
    {"live.collapse", "--collapse", ValueKind::kText, "WHETHER",
     "on: hits that are one document, such as members of a family, have one rank, and later hits "
     "move up (off)"},
    {"live.wait_s", "--wait", ValueKind::kInteger, "SECONDS",
     "How long a visit of mode paired waits for the rankings of all arms (60)"},
    {"live.overlap", "--overlap", ValueKind::kNumber, "SHARE",
     "Share of the visits without judgements of mode paired whose rankings are compared with each "
     "other (0)"},
    {"live.overlap_depth", "--overlap-depth", ValueKind::kInteger, "N",
     "Hits of each ranking that are compared then, 1 to 1000 (100)"},
    {"live.overlap_persistence", "--overlap-persistence", ValueKind::kNumber, "P",
     "Persistence of rank-biased overlap, between 0 and 1 (0.98)"},
    {"live.ubi_arm", "--ubi-arm", ValueKind::kText, "KEYS",
     "Where a UBI document has the arm (query_attributes.arm)"},
    {"live.ubi_topic", "--ubi-topic", ValueKind::kText, "KEYS",
     "Where a UBI document has the topic (query_attributes.topic, else the user's query)"},
}};

/// Keys of the table [test], which says how such an experiment may end; see TestOptions.
inline constexpr std::array<OptionKey, 6> kTestKeys{{
    {"test.topics", "--test-topics", ValueKind::kInteger, "N",
     "Topics with which the planned test of the primary measure ends (no planned test)"},
    {"test.looks", "--looks", ValueKind::kNumberList, "S,S",
     "Its looks as shares of these topics (0.5,0.75,1)"},
    {"test.spending", "--spending", ValueKind::kText, "HOW",
     "How its looks spend alpha: obrien-fleming or pocock (obrien-fleming)"},
    {"test.live_alpha", "--live-alpha", ValueKind::kNumber, "P",
     "What of alpha is left to the verdict that holds whenever one looks (0)"},
    {"test.guardrails", "--guardrails", ValueKind::kTextList, "M=X,M=X",
     "Losses that no arm may have: R@100=0.02, latency=1.1 for a ratio"},
    {"test.same_within", "--same-within", ValueKind::kNumber, "X",
     "Also says when the arms are the same in the primary measure but for X"},
}};

/// Keys of the table [actions], for the same experiments, and for fleets that are shown.
inline constexpr std::array<OptionKey, 5> kActionKeys{{
    {"actions.command", "--action-command", ValueKind::kText, "COMMAND",
     "Command of the shell that is run once for each event, with the event as JSON on its standard "
     "input"},
    {"actions.url", "--action-url", ValueKind::kText, "URL",
     "URL that each event is posted to as JSON, until it is taken"},
    {"actions.on", "--action-on", ValueKind::kTextList, "K,K",
     "Kinds of events: better, worse, vetoed, latency_worse, guardrail_broken, plan_ended "
     "(worse,vetoed)"},
    {"actions.journal", "--action-journal", ValueKind::kPath, "DIR",
     "Folder that remembers what was done; processes with the same one act once"},
    {"actions.limit_s", "--action-limit", ValueKind::kInteger, "SECONDS",
     "How long the command may take (60)"},
}};

inline constexpr std::string_view kCategories = "qrels.categories.";

/// One value as it was written, and its place.
struct RawValue {
  std::vector<std::string> items;  ///< one value, or the values of a list
  std::string place;               ///< "replay.toml:12", or a flag
  /// True if its type was wrong, which has been reported: it is not missing, but must not be used.
  bool refused = false;
};

/// Flags that override an experiment file.
struct ReplayFlags {
  std::map<std::string, std::optional<std::string>, std::less<>> values{};  ///< by OptionKey::key
  std::vector<std::string> categories{};                                    ///< "X=3"
  std::vector<std::string> arm_settings{};  ///< "NAME:KEY=VALUE,KEY=VALUE"
  std::string arms{};                       ///< "A,B", in this order; empty: all
};

enum class TopicSource {
  kFile,       ///< id and text
  kDocuments,  ///< each topic of the qrels is the indexed document of this id
};
[[nodiscard]] std::string_view to_string(TopicSource source) noexcept;

/// Documents that a topic's own ranking leaves out.
enum class Exclusion {
  kNone,
  kSelf,
  kFamily,  ///< itself and the family stored with it
};
[[nodiscard]] std::string_view to_string(Exclusion exclusion) noexcept;

/// A ranking configuration with its engine and index.
struct ReplayArm {
  ArmConfig config{};
  std::string engine{};  ///< its name, or the path of its module
  std::filesystem::path index{};
  std::string place{};  ///< "replay.toml:12", or a flag
};

/// The options of a replay as written in the experiment file and on the command line, not yet
/// checked for anything but their type.
struct RawOptions {
  /// Keyed by OptionKey::key; the grade of a citation category by kCategories and its letter.
  std::map<std::string, RawValue, std::less<>> values;
  std::vector<ReplayArm> arms;  ///< engine and index are empty if they are the experiment's
};

/// All options of a replay, checked as far as possible without opening files.
struct ReplayOptions {
  std::string name;
  std::string note;  ///< empty: none
  std::vector<Measure> measures;
  std::uint32_t depth = 0;
  std::uint32_t threads = 1;
  std::uint64_t seed = 1;
  std::filesystem::path qrels;
  QrelsOptions qrels_options;
  TopicSource topic_source = TopicSource::kDocuments;
  std::filesystem::path topics;  ///< of TopicSource::kFile
  Exclusion exclude = Exclusion::kNone;
  std::filesystem::path exclude_pairs;  ///< empty: none
  SliceSource slices{};
  std::vector<ReplayArm> arms;  ///< the first is the one compared with
};

/// Where a document of User Behavior Insights (UBI) has what its schema does not: keys, and keys of
/// their objects behind dots.
struct UbiKeys {
  std::string arm = "query_attributes.arm";
  std::string topic = "query_attributes.topic";  ///< if it is not there, `user_query` is the query
};

/// The options of an experiment that is fed with what was served elsewhere.
struct LiveOptions {
  /// Engines and indexes may be empty; `depth`, `threads`, `seed` and exclusions have no meaning.
  ReplayOptions experiment{};
  Mode mode = Mode::kObserve;
  std::string primary{};  ///< the name of a measure; empty: the first
  double alpha = 0.05;
  std::string salt{};  ///< of Mode::kSplit, never empty then
  ArmShares shares{};  ///< likewise
  ShadowOptions::Latency latency = ShadowOptions::Latency::kNotCompared;
  OverlapOptions overlap{};
  std::chrono::seconds wait{60};  ///< for the rankings of all arms
  TestOptions test{};
  UbiKeys ubi{};
  ActionOptions actions{};  ///< without a command and a URL: none
};

/// Returns the settings that decide an arm's rankings, except for the index: engine, exclusions,
/// and the arm's settings, as keys of an experiment file. Keys ascend; reading it back gives the
/// same settings.
[[nodiscard]] std::string arm_toml(const ReplayOptions& options, const ReplayArm& arm);

/// Returns the arm with the settings that `arm_toml` wrote, on no index. Throws Error(kBadInput)
/// for any other text.
[[nodiscard]] ReplayArm read_arm_toml(const std::string& text);

/// Reads an experiment file (TOML; `examples/quickstart/replay.toml` explains each key); flags
/// override it. Throws Error(kIo) if it cannot be read, Error(kBadInput) with `file:line` if it is
/// not TOML, and Error(kUsage) with a line for each problem: unknown keys, wrong types, missing or
/// contradictory keys, values out of range.
[[nodiscard]] ReplayOptions read_replay_options(const std::filesystem::path& path,
                                                const ReplayFlags& flags);

/// Reads the same file for an experiment that searches nothing itself, with the keys of [live].
/// Throws as `read_replay_options`.
[[nodiscard]] LiveOptions read_live_options(const std::filesystem::path& path,
                                            const ReplayFlags& flags);

/// Reads the flags of kActionKeys alone. Throws Error(kUsage) with a line for each problem.
[[nodiscard]] ActionOptions read_action_options(const ReplayFlags& flags);

/// The steps of `read_replay_options`. This one reads the file, adding unknown keys and wrong types
/// to `problems`.
[[nodiscard]] RawOptions read_experiment_file(const std::filesystem::path& path,
                                              OptionProblems& problems);
/// Overrides the file's values by the flags. Adds wrong flags to `problems`.
void override_options(const ReplayFlags& flags, RawOptions& raw, OptionProblems& problems);

}  // namespace prescope
