#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "prescope/docno.h"
#include "prescope/shared_list.h"
#include "prescope/types.h"

// A private type. It is outside of the pragma, so the library does not export it.
namespace prescope {
class FoundTopics;
}  // namespace prescope

#pragma GCC visibility push(default)
namespace prescope {

/// Grades of the citation categories of search reports (WIPO ST.14, the European Patent Register).
/// A token is up to three letters or `&`, in either case, or several of these between `,`, `;`,
/// `/`, `|`, `+` or brackets: `X`, `XY`, `DA`, `x;y`, `X,P`, `Y+X`, `(A)`. The highest of its
/// letters counts.
class CitationCategories {
 public:
  /// Gives X, E and I grade 3 (they stand against a claim alone), Y 2 (in combination), A, D, L, O,
  /// P, T and & (same family) 1.
  CitationCategories();
  /// Sets or adds one letter A-Z, or &; throws Error(kUsage) for anything else.
  void set(std::string_view letter, Grade grade);
  /// Returns the grades that `set` gave, by letter.
  [[nodiscard]] const std::map<std::string, Grade>& given() const noexcept { return given_; }
  /// The grade of a token.
  struct Graded {
    Grade grade = 0;
    /// A letter that stands alone is unknown; it counts as 1, because the document was cited.
    bool has_unknown = false;
  };
  /// Returns nothing if the token has not the form of categories.
  [[nodiscard]] std::optional<Graded> grade(std::string_view token) const noexcept;

 private:
  std::map<char, Grade> grades_;
  std::map<std::string, Grade> given_;
};

/// One judged document of a topic.
struct Judgement {
  Docno docno{};      ///< as spelled when it was first judged
  std::string key{};  ///< under the qrels' docno policy
  Grade grade = 0;
  /// How it came to be judged, for people: "X, search, 1993-01-14". Empty if that is not known.
  std::string about{};
};

/// All judgements of a topic, ascending by key (bytewise), each key once. Immutable; copies share
/// them, so that a version of the qrels costs what changed.
class TopicQrels {
 public:
  /// Another key of a judged document: the key of a member of its family.
  struct Alias {
    std::string key{};
    JudgementIndex judgement{};
  };
  TopicQrels(TopicId id, std::vector<Judgement> judgements, Grade min_grade,
             std::vector<Alias> aliases = {});

  [[nodiscard]] const TopicId& id() const noexcept { return data_->id; }
  [[nodiscard]] std::span<const Judgement> judgements() const noexcept { return data_->judgements; }
  /// Returns the grade from which a judgement is relevant.
  [[nodiscard]] Grade min_grade() const noexcept { return data_->min_grade; }
  /// Returns n, the number of relevant judgements.
  [[nodiscard]] std::uint32_t num_rel() const noexcept { return data_->num_rel; }
  [[nodiscard]] bool is_relevant(JudgementIndex i) const noexcept {
    return data_->judgements[i.value()].grade >= data_->min_grade;
  }
  /// Finds a document by its key or an alias.
  [[nodiscard]] std::optional<JudgementIndex> find(std::string_view key) const noexcept;
  /// Returns whether one is a copy of the other, as a topic is in versions that do not change it.
  [[nodiscard]] bool is_shared_with(const TopicQrels& other) const noexcept {
    return data_ == other.data_;
  }

 private:
  struct Data {
    TopicId id;
    std::vector<Judgement> judgements;
    std::vector<Alias> aliases;  // ascending by key
    Grade min_grade = 1;
    std::uint32_t num_rel = 0;
  };
  std::shared_ptr<const Data> data_;
};

struct QrelsOptions {
  DocnoPolicy docno = DocnoPolicy::kRaw;
  /// Lines `docno family`. Under any policy the topics of one family are one unit of evidence, see
  /// `Qrels::family`; under DocnoPolicy::kFamily its documents are one document.
  std::filesystem::path family_map{};
  std::shared_ptr<const FamilyMap> families{};  ///< the same in memory, instead of a file
  Grade min_grade = 1;                          ///< a document is relevant from this grade on
  CitationCategories categories{};
  /// The rule by which citations of a citation store are judged: "examiner" (also if it is empty),
  /// "clef-ip,direct"; see docs/citations.md. Judgements in memory keep it as `Qrels::rule`, and a
  /// qrels file refuses it.
  std::string rule{};
  /// Collapses the rankings of runs: documents that `docno` makes one have one rank, the best, and
  /// later documents move up, as if a searcher was shown each family once. Otherwise they keep
  /// their ranks, and the best counts. Has no meaning under DocnoPolicy::kRaw. In live experiments
  /// it is for rankings of docnos, and later pages are not scored.
  bool collapses = false;
  /// Asked for families that `families` does not list, for each document that is ranked.
  std::shared_ptr<const FamilySource> family_source{};
};

struct JudgementChanges;
class Qrels;
class JudgementSource;

/// Topics that judgements are needed for; none stands for all.
using NeededTopics = std::function<std::vector<std::string>()>;

/// Loads a qrels file, as Qrels::load does, or judges the citations of a citation store (`prescope
/// citations import`) by `options.rule`. A store is judged for `topics`, which are asked for then
/// only; it gives the families of topics and documents, unless the options have them. Throws as
/// Qrels::load; Error(kUsage) for a rule that does not exist; Error(kBadInput) for a damaged store,
/// one without a judgement of the topics, and one of more than 200,000 documents if no topics are
/// named.
[[nodiscard]] Qrels load_judgements(const std::filesystem::path& path,
                                    const QrelsOptions& options = {},
                                    const NeededTopics& topics = {});

/// Opens judgements for a live experiment. A qrels file is loaded by Qrels::load. A citation store
/// of any size is opened at once, see Qrels::from_source: a topic is a patent, named by its
/// document number in any spelling, and DocnoPolicy::kFamily needs no family map. A store is mapped
/// while the experiment runs: replace it by renaming only, because a file that is cut or
/// overwritten in place ends the process. A thread reads the whole store to see that it is not
/// damaged; if rankings are collapsed, it is read before this function returns. Throws what
/// `load_judgements` throws, and Error(kUsage) for a family map beside a store.
[[nodiscard]] Qrels open_judgements(const std::filesystem::path& path,
                                    const QrelsOptions& options = {});

/// The citation judgements of an experiment. Immutable after loading, except that `look_up` may add
/// topics. Any thread.
class Qrels {
 public:
  /// Reads a qrels file (`-` is standard input), plain or gzip, spaces or tabs, LF or CRLF, each
  /// line one of
  ///   `topic iter docno grade`        TREC
  ///   `topic docno grade`             CLEF-IP 2011
  ///   `topic iter docno grade extra`  CLEF-IP 2010 (fifth column: language, ignored)
  /// where grade is an integer or citation categories. Lines starting with '#' and blank lines are
  /// skipped. A docno judged twice in a topic with the same grade counts once (`repeated()`); of
  /// two spellings that the docno policy makes one, and of a docno with two categories, the higher
  /// grade counts (`merged()`). Categories that are unknown count as 1 (`unknown_category()`).
  /// Throws Error: kIo (missing, unreadable, truncated gzip), kBadInput (`file:line: ...` for a
  /// malformed line, invalid UTF-8, a grade out of range, the same docno with another grade; a file
  /// without judgements), kUsage (a rule, which is for citation stores).
  [[nodiscard]] static Qrels load(const std::filesystem::path& path,
                                  const QrelsOptions& options = {});

  /// A judgement in memory, for `from_lines`, which derives the keys. Topics may come in any order.
  struct Line {
    TopicId topic{};
    Docno docno{};
    Grade grade = 1;
    std::string about{};  ///< see Judgement::about
  };
  [[nodiscard]] static Qrels from_lines(std::span<const Line> lines,
                                        const QrelsOptions& options = {});

  /// Makes judgements that are found as topics come, for live experiments that rank docnos.
  /// `look_up` asks the source for a topic that is not known yet, and adds it; all copies have it
  /// then. A topic that nobody asks for costs nothing. The first 1,048,576 topics that have
  /// judgements are kept. The source alone says what is judged, so `with` refuses changes, and
  /// `options.family_map` and `families` have no meaning. Throws Error(kUsage) if rankings are
  /// collapsed under DocnoPolicy::kRaw.
  [[nodiscard]] static Qrels from_source(std::shared_ptr<JudgementSource> source,
                                         const QrelsOptions& options = {});
  static constexpr std::size_t kMostFound = std::size_t{1} << 20U;

  /// Returns a copy with some judgements changed, which shares the topics that are not. Topics keep
  /// their positions and families, judgements may be numbered anew, and a topic may have none left.
  /// O(topics / 64 + judgements of the changed topics), some KB. Throws Error(kUsage), naming all
  /// of them, for unknown topics, withdrawn documents that were not judged, and changes that
  /// contradict each other.
  [[nodiscard]] Qrels with(const JudgementChanges& changes) const;

  /// Returns whether they were made by `from_source`.
  [[nodiscard]] bool finds_topics() const noexcept { return found_ != nullptr; }
  /// Returns JudgementSource::version; empty without a source.
  [[nodiscard]] std::string source_version() const;
  /// Returns the topics, ascending by id, bytewise; none if they are found as they come.
  [[nodiscard]] const SharedList<TopicQrels>& topics() const noexcept { return topics_; }
  /// Returns the number of topics that are known by now. Topics have positions below it.
  [[nodiscard]] std::size_t num_topics() const noexcept {
    return found_ == nullptr ? topics_.size() : num_found();
  }
  [[nodiscard]] bool has(TopicIndex i) const noexcept { return i.value() < num_topics(); }
  /// Returns the end of the positions that topics may ever have.
  [[nodiscard]] std::size_t topic_limit() const noexcept {
    return found_ == nullptr ? topics_.size() : kMostFound;
  }
  [[nodiscard]] const TopicQrels& topic(TopicIndex i) const noexcept {
    return found_ == nullptr ? topics_[i.value()] : found_topic(i);
  }
  /// Returns a topic that is known by now. O(1), no allocation unless topics are found as they
  /// come.
  [[nodiscard]] std::optional<TopicIndex> find(std::string_view topic_id) const noexcept;
  /// Returns a topic, after asking the source if the topic is not known yet. The source may read
  /// from a disk; a citation store in memory takes some 43 us. Other threads that look up unknown
  /// topics wait meanwhile. A topic that could not be read, or found no room, is counted in
  /// `lookups()`.
  [[nodiscard]] std::optional<TopicIndex> look_up(std::string_view topic_id) const noexcept;
  /// Calls of `look_up` that gave no topic although it may be judged.
  struct Lookups {
    std::uint64_t failed = 0;        ///< the source could not be read
    std::uint64_t without_room = 0;  ///< kMostFound topics are known
  };
  [[nodiscard]] Lookups lookups() const noexcept;
  /// Returns the family of a topic by the family map. Topics of one family are alike in their texts
  /// and citations, so statistics count each family once. A topic that the map does not name is a
  /// family of its own, and so is each topic without a map.
  [[nodiscard]] FamilyIndex family(TopicIndex i) const noexcept;
  /// Families are numbered in the order of their first topics.
  [[nodiscard]] std::size_t num_families() const noexcept;
  /// Returns whether a family map or a source was given, whatever it says of the topics.
  [[nodiscard]] bool has_family_map() const noexcept {
    return families_ != nullptr || found_ != nullptr;
  }
  /// Returns JudgementSource::Judged::family of a topic that was found; empty if it has none.
  [[nodiscard]] std::string_view found_family(TopicIndex i) const noexcept;
  /// Returns the patents of the family map that have no family; none without a map.
  [[nodiscard]] FamilyMap::WithoutFamily without_family() const {
    return families_ == nullptr ? FamilyMap::WithoutFamily() : families_->without;
  }
  /// Returns the rule that made the judgements of citations; empty if they were made elsewhere.
  [[nodiscard]] const std::string& rule() const noexcept { return rule_; }
  /// See QrelsOptions::collapses.
  [[nodiscard]] bool collapses() const noexcept { return collapses_; }
  [[nodiscard]] const DocnoNormalizer& docnos() const noexcept { return docnos_; }
  [[nodiscard]] Grade min_grade() const noexcept { return min_grade_; }
  [[nodiscard]] std::size_t num_judgements() const noexcept { return totals().judgements; }
  /// Returns the number of relevant judgements, over all topics.
  [[nodiscard]] std::size_t num_relevant() const noexcept { return totals().relevant; }
  /// Returns the number of topics that have a relevant document.
  [[nodiscard]] std::size_t topics_with_relevant() const noexcept { return totals().with_relevant; }
  [[nodiscard]] std::size_t repeated() const noexcept { return totals().repeated; }
  /// A line that judges a docno of its topic again, with the same grade.
  struct Repeat {
    TopicId topic{};
    Docno docno{};
    std::uint64_t line = 0;  ///< its number in the file or list, from 1
  };
  /// Returns the earliest such line; std::nullopt if `repeated()` is 0.
  [[nodiscard]] const std::optional<Repeat>& first_repeat() const noexcept { return first_repeat_; }
  [[nodiscard]] std::size_t merged() const noexcept { return totals().merged; }
  /// Lines with a citation category that CitationCategories does not know.
  struct UnknownCategory {
    std::size_t lines = 0;
    std::string example{};         ///< the first one
    std::uint64_t first_line = 0;  ///< its number in the file, from 1
  };
  [[nodiscard]] const UnknownCategory& unknown_category() const noexcept {
    return unknown_category_;
  }

 private:
  class [[gnu::visibility("hidden")]] Builder;

  /// A hash table with linear probing that finds topics. It holds their ids too, so that a query
  /// waits for few reads of memory.
  struct Slot {
    TopicId id{};
    TopicIndex topic = kUnjudgedTopic;  // if the slot is empty
  };

  /// The families of the topics; all versions share them.
  struct Families {
    std::vector<FamilyIndex> of_topic;
    std::size_t count = 0;
    FamilyMap::WithoutFamily without{};
  };

  /// Sums over topics.
  struct Totals {
    std::size_t judgements = 0, relevant = 0, with_relevant = 0, repeated = 0, merged = 0;

    void add(const TopicQrels& topic) noexcept;
    void remove(const TopicQrels& topic) noexcept;
  };
  friend FoundTopics;

  [[nodiscard]] std::size_t num_found() const noexcept;
  [[nodiscard]] const TopicQrels& found_topic(TopicIndex i) const noexcept;
  [[nodiscard]] Totals totals() const noexcept;
  void set_topics(std::vector<TopicQrels> topics);
  void set_topic(TopicIndex i, TopicQrels topic);

  SharedList<TopicQrels> topics_;
  std::shared_ptr<FoundTopics> found_;  // set by `from_source`; then topics_ is empty
  Totals totals_;
  std::shared_ptr<const Families> families_;  // null without a map
  std::shared_ptr<const Slot[]> slots_ = std::make_shared<Slot[]>(1);
  std::size_t num_slots_ = 1;  // a power of two, twice the topics or more
  DocnoNormalizer docnos_;
  std::string rule_;
  bool collapses_ = false;
  Grade min_grade_ = 1;
  UnknownCategory unknown_category_;
  std::optional<Repeat> first_repeat_;
};

/// Judges topics one by one, when each is first asked for.
class JudgementSource {
 public:
  /// A topic's judgements.
  struct Judged {
    std::vector<Qrels::Line> lines{};  ///< all of this topic
    /// Families of the judged documents, all their members; null if none has one.
    std::shared_ptr<const FamilyMap> families{};
    /// Topics of one family are one unit of evidence; empty: the topic is alone.
    std::string family{};
  };

  virtual ~JudgementSource() = default;
  /// Returns the one name of a topic, in whatever spelling it is asked for; empty for a text that
  /// cannot be a topic. Any thread. May throw.
  [[nodiscard]] virtual std::string name_of(std::string_view topic) const = 0;
  /// Returns the judgements of a topic by its one name; std::nullopt if it has none. One thread at
  /// a time. May throw.
  [[nodiscard]] virtual std::optional<Judged> judge(const std::string& topic) = 0;
  /// Returns a text that differs if the judgements of any topic may differ.
  [[nodiscard]] virtual std::string version() const = 0;
};

/// Judgements to add, change or withdraw. Documents are identified by their key.
struct JudgementChanges {
  struct Withdrawn {
    TopicId topic{};
    Docno docno{};
  };
  std::vector<Qrels::Line> judged{};  ///< new documents of known topics, or other grades
  std::vector<Withdrawn> withdrawn{};
};

}  // namespace prescope
#pragma GCC visibility pop
