#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/experiment.h"

namespace prescope::conformance {

/// One document: words separated by single blanks, docno as it is to be indexed.
struct Doc {
  std::string docno;
  std::string text;
};

/// One query: the documents that contain `word`, those that contain it more often first.
struct Request {
  enum class Order {
    kScore,
    kDocno,  ///< by docno, bytewise ascending; only if `Traits::sorts`
  };
  std::string word;
  std::uint32_t depth = 10;  ///< hits from `first_rank` on
  Rank first_rank = 1;       ///< above 1 only if `Traits::pages`
  Order order = Order::kScore;
};

/// One hit as the host of the engine sees it.
struct ServedHit {
  std::string docno;
  double score = 0.0;
  friend bool operator==(const ServedHit&, const ServedHit&) = default;
};

/// Capabilities of an adapter and its engine. The suite skips the tests of missing ones and says
/// so.
struct Traits {
  bool docids = true;  ///< false: the engine serves docnos, which need no resolving
  bool pages = true;
  bool sorts = true;
  bool timed = true;       ///< false: its rankings were searched at another time (kUntimed)
  bool duplicates = true;  ///< several documents may have one docno under a docno policy
  /// A searcher made before a reopen still serves its own generation and is matched with it.
  bool keeps_generations = true;
  /// False: the engine answers every query, as a search for nearest neighbours does.
  bool empty_rankings = true;
  bool engine_can_fail = true;  ///< `break_engine` works
  bool docnos_can_fail = true;  ///< `break_docnos` works
};

/// Searches under one arm on one thread.
class SubjectSearcher {
 public:
  virtual ~SubjectSearcher() = default;
  /// Searches through the adapter, as a host does: observed under the thread's QueryScope.
  /// Exceptions of the engine pass through.
  virtual std::vector<ServedHit> search(const Request& request) = 0;
  /// The same by the engine alone, without prescope. Does the same work in the same way, so that
  /// allocations and locks of both can be compared.
  virtual std::vector<ServedHit> search_unobserved(const Request& request) = 0;
};

/// One adapter with one small, real index of its engine, as the conformance suite drives it:
/// documents first, then `watch`, then searchers, reopened as the index changes.
class Subject {
 public:
  virtual ~Subject() = default;
  [[nodiscard]] virtual Traits traits() const { return {}; }

  /// Adds the documents and commits them.
  virtual void add(const std::vector<Doc>& docs) = 0;
  /// Removes every document with exactly this docno and commits.
  virtual void remove(const std::string& docno) = 0;
  /// Rewrites the index as the engine does when it merges, optimizes or compacts: documents stay,
  /// their docids need not.
  virtual void compact() = 0;

  /// Opens the index for the experiment, which must outlive this object. Called once.
  virtual void watch(Experiment& experiment) = 0;
  /// Opens the newest commit for searchers made from now on; returns false if there is none.
  virtual bool reopen() = 0;
  /// The table of the current generation; null if the engine serves docnos or if resolving failed.
  [[nodiscard]] virtual std::shared_ptr<const ResolvedQrels> resolved() const { return nullptr; }
  /// For the calling thread, of the current generation. Safe to call from several threads.
  [[nodiscard]] virtual std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) = 0;

  /// Makes each further search fail inside the engine.
  virtual void break_engine() {}
  /// Makes the docnos of the next commit unreadable; its documents stay the same.
  virtual void break_docnos() {}

  // Each of these returns false if it cannot be done, and its test is then skipped. Override those
  // that the engine and the adapter allow: each is about a fault that nothing else shows.

  /// Lets the engine alone, not the adapter, move every open searcher to the newest commit, as it
  /// does when a host reopens it. False if an open searcher always serves one state.
  virtual bool change_under_searchers() { return false; }
  /// Makes each further search take at least this long inside the engine.
  virtual bool slow_engine(std::chrono::milliseconds) { return false; }
  /// Makes the work of the adapter on each further answer, before it shows it, take at least this
  /// long. False if the adapter shows an answer as it is.
  virtual bool slow_reading(std::chrono::milliseconds) { return false; }
  /// Makes the document EP1 unreadable for the adapter, when it reads the hits of an answer. False
  /// if it reads none.
  virtual bool break_reading() { return false; }
};

/// Makes an empty subject.
using SubjectFactory = std::function<std::unique_ptr<Subject>()>;

/// Documents EP1..EPn, n <= 8, each of 8 words, EPi with the word "valve" i times and "pump" in the
/// other places: for the query "valve" any engine that counts words serves EPn, ..., EP2, EP1.
[[nodiscard]] std::vector<Doc> valves(std::uint32_t n);

}  // namespace prescope::conformance
