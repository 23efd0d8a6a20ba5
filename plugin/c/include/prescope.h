/// The C interface of prescope: the measures and verdicts of the C++ library, for hosts in any
/// language. C99; docs/c.md has an introduction, examples/c_host a whole program.
///
/// Strings are UTF-8. A `const char*` ends with NUL; a prescope_text has a length instead. What the
/// caller passes needs to live during the call only. No exception leaves a function. Functions that
/// can fail return a prescope_code and write a sentence to `error`, which may be NULL; what they
/// would have made is then NULL. Handles are made by the library and given back to the function
/// named `..._free` or `..._close`, which take NULL too.
///
/// Structs that may grow begin with `size`, which a PRESCOPE_..._INIT macro sets with the defaults,
/// so that a program that was compiled for an older version runs unchanged with a newer library.
#ifndef PRESCOPE_H
#define PRESCOPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// The reason why a call was refused.
typedef enum prescope_code {
  PRESCOPE_OK = 0,
  PRESCOPE_USAGE = 1,      ///< an unknown name or option, a value out of range, a missing argument
  PRESCOPE_BAD_INPUT = 2,  ///< data: malformed, empty, contradictory
  PRESCOPE_IO = 3,         ///< a file, folder or port that is missing, unreadable, locked or taken
  PRESCOPE_ENGINE = 4,     ///< a callback of the host failed
  PRESCOPE_NO_MEMORY = 5,
  PRESCOPE_INTERNAL = 6  ///< a fault of prescope
} prescope_code;

/// A sentence with place, what was found, what was expected, and how to mend it. Ends with NUL; a
/// longer sentence is cut between two characters and ends with "...". Empty after PRESCOPE_OK.
typedef struct prescope_error {
  char message[4096];
} prescope_error;

/// `size` bytes. `data` may be NULL if `size` is 0.
typedef struct prescope_text {
  const char* data;
  size_t size;
} prescope_text;

typedef struct prescope_qrels prescope_qrels;            ///< judgements; immutable, any thread
typedef struct prescope_run prescope_run;                ///< a run's judged part; the same
typedef struct prescope_experiment prescope_experiment;  ///< a live experiment; any thread
typedef struct prescope_index prescope_index;  ///< one state of an engine's index; immutable

/// Returns the library's version, such as "0.1.0".
const char* prescope_version(void);
/// Gives back a text that the library made.
void prescope_text_free(char* text);

// ---- Columns ------------------------------------------------------------------------------------

/// How a column keeps its strings.
typedef enum prescope_layout {
  PRESCOPE_POINTERS = 0,    ///< `data`: const char* [count], each ends with NUL
  PRESCOPE_TEXTS = 1,       ///< `data`: prescope_text [count]
  PRESCOPE_TERMINATED = 2,  ///< `data`: count strings, one behind the other, a NUL behind each
  PRESCOPE_OFFSETS_32 = 3,  ///< `data`: bytes; `offsets`: int32_t [count + 1], Arrow's utf8
  PRESCOPE_OFFSETS_64 = 4,  ///< `data`: bytes; `offsets`: int64_t [count + 1], Arrow's large_utf8
  PRESCOPE_FIXED_UTF8 = 5,  ///< `data`: `width` bytes each, NUL behind a shorter one; NumPy's S
  PRESCOPE_FIXED_UCS4 = 6   ///< `data`: `width` uint32_t each, the same; NumPy's U
} prescope_layout;

/// A list of strings in the caller's memory.
typedef struct prescope_column {
  size_t count;
  const void* data;
  size_t data_size;  ///< bytes of `data`, for PRESCOPE_TERMINATED and both PRESCOPE_OFFSETS
  const void* offsets;
  size_t width;    ///< of the fixed layouts
  int32_t layout;  ///< a prescope_layout
} prescope_column;

// ---- Judgements and runs ------------------------------------------------------------------------

typedef struct prescope_qrels_options {
  size_t size;
  const char* docno;       ///< docnos that are one document: raw, publication, patent, family
  const char* family_map;  ///< a file with lines `docno family`; NULL: none
  const char* categories;  ///< grades of citation categories, "X=3,Y=2"; NULL: the usual ones
  int32_t min_grade;       ///< documents are relevant from this grade on
  const char* rule;        ///< for a citation store: "examiner", "clef-ip,direct"; NULL: examiner
} prescope_qrels_options;
#define PRESCOPE_QRELS_OPTIONS_INIT \
  { sizeof(prescope_qrels_options), "raw", NULL, NULL, 1, NULL }

/// Reads a qrels file, plain or gzip, or judges the citations of a citation store, as `prescope
/// evaluate` does. `options` may be NULL.
prescope_code prescope_qrels_load(const char* path, const prescope_qrels_options* options,
                                  prescope_qrels** qrels, prescope_error* error);
/// Opens judgements for experiments. A citation store of any size is opened at once: a topic is
/// judged when a request first names it, in any spelling of its document number. Rankings must name
/// docnos. Runs cannot be scored with these judgements. A qrels file is loaded.
prescope_code prescope_qrels_open(const char* path, const prescope_qrels_options* options,
                                  prescope_qrels** qrels, prescope_error* error);
/// Takes judgements as columns of equal length. A document with a grade below `min_grade` was
/// judged, and is not relevant.
prescope_code prescope_qrels_from_columns(const prescope_column* topics,
                                          const prescope_column* docnos, const int32_t* grades,
                                          const prescope_qrels_options* options,
                                          prescope_qrels** qrels, prescope_error* error);
void prescope_qrels_free(prescope_qrels* qrels);
/// Returns the number of topics, which ascend by name, bytewise.
size_t prescope_qrels_num_topics(const prescope_qrels* qrels);
/// Returns the name of topic `i`, an empty text behind the last. It lives as long as `qrels`.
prescope_text prescope_qrels_topic(const prescope_qrels* qrels, size_t i);

/// Reads a TREC run, plain or gzip. `name` is what results call it; NULL: the name of the file.
/// `threads` (at least 1) read a large file. The run keeps what it needs of `qrels`.
prescope_code prescope_run_load(const prescope_qrels* qrels, const char* path, const char* name,
                                uint32_t threads, prescope_run** run, prescope_error* error);

typedef struct prescope_run_columns {
  size_t size;
  const char* name;        ///< what results call it
  prescope_column topics;  ///< a topic for each line, or for each of `topic_ends`
  prescope_column docnos;  ///< a document for each line
  const double* scores;    ///< a score for each line; NULL: the lines of a topic are in order
  /// The end of each topic's lines, ascending; NULL: see `topics`. A topic without lines is one
  /// that the run lacks.
  const uint64_t* topic_ends;
} prescope_run_columns;
#define PRESCOPE_RUN_COLUMNS_INIT                                                                  \
  {                                                                                                \
    sizeof(prescope_run_columns), "run", {0, NULL, 0, NULL, 0, 0}, {0, NULL, 0, NULL, 0, 0}, NULL, \
        NULL                                                                                       \
  }

/// Takes a run as columns. The lines of a topic may be anywhere; they are ranked by score and docno
/// as prescope_scoring says. Refuses a score that is NaN and a name that is empty or has white
/// space in it, naming the line, its topic and its docno.
prescope_code prescope_run_from_columns(const prescope_qrels* qrels,
                                        const prescope_run_columns* columns, prescope_run** run,
                                        prescope_error* error);
void prescope_run_free(prescope_run* run);

// ---- Scores and verdicts of runs ----------------------------------------------------------------

/// The part of a run that counts, and its order.
typedef struct prescope_scoring {
  size_t size;
  const char* order;     ///< "trec": score then docno, both descending; "file": as the lines are
  uint32_t depth;        ///< documents behind this rank were not retrieved; 0: all were
  uint32_t judged_only;  ///< 1: documents without a judgement are removed, and others move up
  uint32_t only_topics_of_run;  ///< 1: topics that the run lacks are left out; else they score 0
} prescope_scoring;
#define PRESCOPE_SCORING_INIT \
  { sizeof(prescope_scoring), "trec", 0, 0, 0 }

/// The scores of a run. The library may add members at the end.
typedef struct prescope_scores {
  size_t num_measures, num_topics;
  const char* const* measures;     ///< canonical names, each once
  const uint32_t* topics;          ///< positions in the qrels, ascending
  const double* scores;            ///< a row for each topic; NaN: the measure is undefined there
  const double* means;             ///< for each measure; NaN: no topic has a value
  const uint32_t* topics_in_mean;  ///< for each measure
  /// For each measure: the rank at which the run was cut off, if the measure reads further; else 0.
  const uint32_t* ends_at;
  const uint32_t* num_ret;      ///< for each topic: documents retrieved
  const uint32_t* num_rel_ret;  ///< for each topic: relevant ones
  const uint8_t* is_in_run;     ///< for each topic: 0 if the run lacks it
} prescope_scores;

/// Scores a run by measures as `prescope evaluate` reads them, "PRES@100,R@100,AP(rel=2)@100". The
/// numbers equal the program's to the last bit, means too. `scoring` may be NULL.
prescope_code prescope_evaluate(const prescope_run* run, const char* measures,
                                const prescope_scoring* scoring, prescope_scores** scores,
                                prescope_error* error);
void prescope_scores_free(prescope_scores* scores);

/// Writes the document of `prescope evaluate --format json` for `num_runs` runs with the same
/// qrels, with notes in words on what is missing or odd; docs/evaluate.md. Give the text to
/// prescope_text_free.
prescope_code prescope_evaluate_json(const prescope_run* const* runs, size_t num_runs,
                                     const char* measures, const prescope_scoring* scoring,
                                     uint32_t per_topic, char** json, prescope_error* error);

typedef struct prescope_compare_options {
  size_t size;
  const char* test;        ///< "t", "sign-flip", "wilcoxon"
  const char* correction;  ///< over measures and runs: "holm", "bh", "none"
  double confidence;       ///< of the intervals, in (0, 1)
  double alpha;            ///< of the verdicts, in (0, 1)
  uint32_t top;            ///< topics that moved most, listed with their citations
  const char* slices;      ///< a file of slices of the topics, docs/slices.md; NULL: none
  const char* slice_by;    ///< dimensions of the slices, "section,relevant"; NULL: all of a table
} prescope_compare_options;
#define PRESCOPE_COMPARE_OPTIONS_INIT \
  { sizeof(prescope_compare_options), "t", "holm", 0.95, 0.05, 10, NULL, NULL }

/// Compares runs with the first of them. Writes the document of `prescope compare --format json`;
/// docs/compare-json.md. `scoring` and `options` may be NULL.
prescope_code prescope_compare_json(const prescope_run* const* runs, size_t num_runs,
                                    const char* measures, const prescope_scoring* scoring,
                                    const prescope_compare_options* options, char** json,
                                    prescope_error* error);
/// Decides whether tonight's run may replace the baseline. `rules` is TOML as in docs/gate.md;
/// NULL: the defaults. Writes an object with `outcome`, `exit_code`, `rules`, `measures` and
/// `slices` as docs/gate-json.md has them. A path in `rules` begins at the working folder.
prescope_code prescope_gate_json(const prescope_run* baseline, const prescope_run* tonight,
                                 const char* rules, const prescope_scoring* scoring, char** json,
                                 prescope_error* error);

// ---- A live experiment --------------------------------------------------------------------------

#define PRESCOPE_NO_ARM UINT32_MAX

typedef struct prescope_experiment_options {
  size_t size;
  const char* name;
  const char* const* arms;  ///< `num_arms` distinct names; the others are compared with the first
  size_t num_arms;
  const char* measures;     ///< "PRES@100,R@100"; NULL: PRES, R and AP at 100 and 1000
  const char* primary;      ///< the measure that verdicts are about; NULL: the first
  const char* mode;         ///< "observe", "paired", "split"
  const char* salt;         ///< of mode split; NULL: made from name and start
  double alpha;             ///< chance that a verdict is ever wrong, (0, 0.5]
  double shadow_sampling;   ///< share of the visits that are compared, (0, 1]
  uint32_t shadow_threads;  ///< searches for comparison at the same time, [1, 64]
  uint32_t shadow_queue;    ///< visits that wait for comparison, [1, 65536]
  /// "both arms", "not compared", "both arms twice", "both arms alike"; docs/live.md.
  const char* shadow_latency;
  uint32_t capture_depth;         ///< hits kept of each ranking for later judgements, [0, 100000]
  const char* store;              ///< SQLite file that observations are written to; NULL: none
  int32_t dashboard_port;         ///< 0: any free one; -1: no dashboard
  const char* dashboard_address;  ///< NULL: loopback; any other needs a token
  const char* dashboard_token;    ///< NULL: none
  /// Called with a sentence for the operator when the store or the dashboard has trouble, on a
  /// thread of the library; NULL: standard error. It must not call functions of the experiment.
  void (*on_warning)(void* context, const char* sentence);
  void* warning_context;
  const char* slices;           ///< as in prescope_compare_options
  const char* slice_by;         ///< as in prescope_compare_options
  uint32_t test_topics;         ///< topics with which a planned test ends, docs/live.md; 0: no plan
  const char* test_looks;       ///< shares of these topics, "0.5,0.75,1"; NULL: 0.5,0.75,1
  const char* test_spending;    ///< "obrien-fleming", "pocock"
  double test_live_alpha;       ///< left to the verdict that holds at any time, [0, alpha)
  const char* test_guardrails;  ///< "R@100=0.02,latency=1.1"; NULL: none
  double test_same_within;      ///< a difference that does not count, (0, 1); 0: nobody asks
  /// A command for /bin/sh that a verdict runs, and a URL that it posts to; NULL: none. See
  /// docs/actions.md.
  const char* actions_command;
  const char* actions_url;
  const char* actions_on;       ///< kinds of events, "better,worse"; NULL: worse and vetoed
  const char* actions_journal;  ///< folder that remembers what was done; a command or URL needs it
  /// Of mode split: relative shares of the topics that arms serve, "old=19,new=1"; NULL: 1 each.
  const char* shares;
  /// Of mode paired: how much the rankings of visits without judgements have in common;
  /// docs/live.md.
  double shadow_overlap_sampling;     ///< share of these visits, [0, 1]; 0: none
  uint32_t shadow_overlap_depth;      ///< hits of each ranking that are compared, [1, 1000]
  double shadow_overlap_persistence;  ///< of rank-biased overlap, (0, 1)
} prescope_experiment_options;
#define PRESCOPE_EXPERIMENT_OPTIONS_INIT                                                           \
  {                                                                                                \
    sizeof(prescope_experiment_options), "experiment", NULL, 0, NULL, NULL, "observe", NULL, 0.05, \
        1.0, 1, 64, "both arms", 0, NULL, -1, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL,         \
        "obrien-fleming", 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 100, 0.98                   \
  }

prescope_code prescope_experiment_open(const prescope_qrels* qrels,
                                       const prescope_experiment_options* options,
                                       prescope_experiment** experiment, prescope_error* error);
/// Records what is queued, writes it to the store and frees the experiment. Waits for searches for
/// comparison that run. No other call may be in progress or follow.
void prescope_experiment_close(prescope_experiment* experiment);
/// Returns the address of the dashboard, "" without one. It lives as long as the experiment.
const char* prescope_dashboard_url(const prescope_experiment* experiment);
/// Finds an arm by its name; the message of a failure names the nearest.
prescope_code prescope_arm(const prescope_experiment* experiment, prescope_text name, uint32_t* arm,
                           prescope_error* error);
/// Returns the arm that is to serve a topic, or any other unit of traffic, in mode split; the first
/// active arm in other modes.
uint32_t prescope_arm_for(const prescope_experiment* experiment, prescope_text unit);
/// Changes an arm while the experiment runs, and begins an epoch: "add" (by its name), "pause",
/// "resume", "restart", "remove".
prescope_code prescope_change_arm(prescope_experiment* experiment, prescope_text arm,
                                  const char* change, prescope_error* error);

// Engines that number their documents: once for each state of the index. Engines that answer with
// docnos need none of this.

/// Returns the number of judged documents.
size_t prescope_num_judged(const prescope_experiment* experiment);
/// Returns the docno of judged document `i` under the docno policy, for a look-up in the index; an
/// empty text behind the last. It lives as long as the experiment.
prescope_text prescope_judged_docno(const prescope_experiment* experiment, size_t i);
/// Receives the documents of an index, see prescope_index_open.
typedef struct prescope_found prescope_found;
/// Tells the number of a document, under whatever spelling of its docno. Returns 1 if the document
/// is judged, else 0.
int prescope_found_add(prescope_found* found, prescope_text docno, uint32_t docid);
/// Finds the judged documents of an index. `look_up` is called once, and tells them by
/// prescope_found_add: it looks for each prescope_judged_docno, or walks over all documents. If it
/// returns another number than 0, that is PRESCOPE_ENGINE. `documents` is the number of live
/// documents. `before` is the state of the same index that this one replaces, or NULL.
prescope_code prescope_index_open(prescope_experiment* experiment, const prescope_index* before,
                                  uint64_t documents,
                                  int (*look_up)(void* context, prescope_found* found),
                                  void* context, prescope_index** index, prescope_error* error);
/// Tells that an arm searches this index from now on, so that documents it lacks are known.
prescope_code prescope_index_set_arm(prescope_experiment* experiment, uint32_t arm,
                                     const prescope_index* index, prescope_error* error);
/// Call this when no call that was given the index is in progress.
void prescope_index_free(prescope_index* index);

/// One request of a user. A value: keep it with the request, on any thread.
typedef struct prescope_visit {
  uint64_t opaque[16];
} prescope_visit;

typedef struct prescope_request {
  size_t size;
  prescope_text topic;    ///< as the qrels name it; another name: an unjudged request
  prescope_text session;  ///< shared by the pages of one visit; empty: none
  uint32_t arm;           ///< counts instead of the arms of its rankings; PRESCOPE_NO_ARM: theirs
  int64_t served_utc_ns;  ///< when the user was served, since 1970; 0: now
  uint64_t request_id;    ///< the host's own number, kept in the store; 0: none
  /// The user's words. The first 63 bytes name a visit without judgements among the most changed
  /// ones, see `shadow_overlap_sampling`; empty: the topic.
  prescope_text query;
} prescope_request;
#define PRESCOPE_REQUEST_INIT                                                          \
  {                                                                                    \
    sizeof(prescope_request), {NULL, 0}, {NULL, 0}, PRESCOPE_NO_ARM, 0, 0, { NULL, 0 } \
  }

/// Begins a visit. Lock-free, no allocation.
prescope_visit prescope_begin(prescope_experiment* experiment, const prescope_request* request);

/// Facts about a ranking; combine them with `|`.
enum prescope_flags {
  PRESCOPE_SORTED = 1,       ///< ordered by something other than the score
  PRESCOPE_RETRIED = 2,      ///< the engine failed and was asked again
  PRESCOPE_PARTIAL = 4,      ///< a timeout or a lost shard cut the search short
  PRESCOPE_DEEPENED = 8,     ///< more hits were asked for than the user saw
  PRESCOPE_FAILED = 64,      ///< for prescope_observe_comparison: there is no ranking
  PRESCOPE_TIMED_OUT = 128,  ///< the same
  PRESCOPE_FILTERED = 256,   ///< a filter of the user left documents out
  PRESCOPE_COLLAPSED = 512   ///< one hit stands for a group of documents
};

typedef struct prescope_ranking {
  size_t size;
  uint32_t arm;
  uint32_t first_rank;       ///< rank of the first hit; above 1 for a later page
  uint32_t requested_depth;  ///< hits asked for; if there are fewer, the ranking has ended. 0: as
                             ///< many as there are, so that more may follow them
  uint32_t flags;            ///< of prescope_flags
  uint64_t total_hits;       ///< documents that matched in all; 0: unknown
  const uint32_t* docids;    ///< `num_docids` numbers of `index`, in served order; or NULL
  size_t num_docids;
  const prescope_index* index;
  const prescope_column* docnos;  ///< instead of `docids`: an engine that answers with names
  uint64_t collection_size;       ///< with `docnos`: live documents of the index; 0: unknown
  /// When the search began and ended, in nanoseconds of any clock that does not jump; both 0: its
  /// latency is unknown.
  int64_t started_ns, ended_ns;
} prescope_ranking;
#define PRESCOPE_RANKING_INIT \
  { sizeof(prescope_ranking), 0, 1, 0, 0, 0, NULL, 0, NULL, NULL, 0, 0, 0 }

/// Says what became of a ranking.
typedef enum prescope_outcome {
  PRESCOPE_RECORDED = 0,      ///< it is on its way to the results and the store
  PRESCOPE_UNJUDGED = 1,      ///< the topic has no judgements: only its latency is recorded
  PRESCOPE_UNMATCHED = 2,     ///< recorded without hits: `index` is missing or another experiment's
  PRESCOPE_NO_SCOPE = 3,      ///< not recorded: no visit, and no search for comparison
  PRESCOPE_INACTIVE_ARM = 4,  ///< not recorded: the arm is paused, removed or unknown
  PRESCOPE_SAMPLED_OUT = 5,   ///< not recorded: sampling leaves its visit out
  PRESCOPE_NO_ROOM = 6,       ///< not recorded: the queue is full
  PRESCOPE_NOT_COMPARED = 7,  ///< not recorded: the visit is not compared
  PRESCOPE_ABANDONED = 8      ///< not recorded: the struct cannot be read, or it has no ranks
} prescope_outcome;

/// Records what a user was served. Lock-free. In a search for comparison, `visit` is NULL. A visit
/// that prescope_begin did not make gives PRESCOPE_NO_SCOPE.
prescope_outcome prescope_observe(prescope_experiment* experiment, const prescope_visit* visit,
                                  const prescope_ranking* ranking);
/// Records a search that failed, or timed out, without a ranking: an empty ranking of its arm.
prescope_outcome prescope_observe_failure(prescope_experiment* experiment,
                                          const prescope_visit* visit, uint32_t arm,
                                          uint32_t has_timed_out);

// Mode paired: after the user has the answer, the other arms search too.

/// Returns 1 if prescope_shadow would take the visit now, else 0; the reason is counted.
int prescope_wants_shadow(prescope_experiment* experiment, const prescope_visit* visit);
/// Lets a thread of the library call `search` for each active arm. It searches as the served query
/// did, on the same snapshot, and passes its ranking to prescope_observe with a NULL visit. If it
/// returns another number than 0, the search has failed. `free_context` (or NULL) is called once,
/// also if the visit is not taken. Returns 1 if it is taken.
int prescope_shadow(prescope_experiment* experiment, const prescope_visit* visit, uint32_t served,
                    int (*search)(void* context, uint32_t arm), void (*free_context)(void* context),
                    void* context);
/// Instead of prescope_shadow: records what each active arm found, for a host that has searched for
/// comparison itself, after prescope_wants_shadow. All rankings of the visit at once; an arm that
/// has none makes the comparison incomplete.
prescope_outcome prescope_observe_comparison(prescope_experiment* experiment,
                                             const prescope_visit* visit, uint32_t served,
                                             const prescope_ranking* rankings, size_t count);

/// Waits until no search for comparison waits or runs and each context was freed, so that the host
/// may destroy what its searches use. Visits that other threads offer meanwhile are not taken.
/// PRESCOPE_USAGE within a search for comparison.
prescope_code prescope_drain_shadow(prescope_experiment* experiment, prescope_error* error);

/// Waits until everything observed before is recorded, and in the store if there is one. Not on the
/// query path. PRESCOPE_IO if the store cannot be written.
prescope_code prescope_flush(prescope_experiment* experiment, prescope_error* error);
/// Flushes, then writes everything recorded so far: "json" (docs/replay-json.md), or "table" as the
/// program prints it.
prescope_code prescope_summary(prescope_experiment* experiment, const char* format, char** text,
                               prescope_error* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
