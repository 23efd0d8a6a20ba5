#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prescope/ranking.h"

#pragma GCC visibility push(default)
/// Answers of search engines in JSON, for adapters of engines that are asked over a network.
namespace prescope {

/// Says where the answer of an engine has what belongs to its ranking. Places are JSON pointers
/// (RFC 6901); the first of several that is there counts. A condition is a place, and holds if the
/// value there is true, a number above 0, or a text, list or object that is not empty. PLACE=VALUE
/// holds if the value there reads so, and PLACE<PLACE if one number is below the other.
struct AnswerShape {
  std::string hits{};                ///< place of the list of hits
  std::vector<std::string> docno{};  ///< places within a hit: a text, or a list of texts
  /// Beginnings of places of a hit's fields, for `with_docno_field`.
  std::vector<std::string> fields{};
  bool docno_is_document_id = false;  ///< the docno follows "id:NAMESPACE:TYPE:KEY:"
  std::string took_ms{};              ///< place of the time that the engine took, if it says it
  std::vector<std::string> total{};   ///< places of the number of documents that matched, or of -1
  std::vector<std::string> offset{};  ///< places of the number of hits before the first
  // Conditions. One is enough:
  std::vector<std::string> total_is_least{};  ///< more documents than the total may have matched
  std::vector<std::string> timed_out{};
  std::vector<std::string> partial{};  ///< the search did not see every document
  std::vector<std::string> failed{};   ///< with hits, the answer is partial

  /// Returns the shape with docnos in this field of a hit. Throws Error(kUsage) if its hits have no
  /// fields.
  [[nodiscard]] AnswerShape with_docno_field(std::string_view field) const;
};

/// Returns the shapes that are known, with hits at "/hits/hits", "/response/docs" and
/// "/root/children".
[[nodiscard]] std::span<const AnswerShape> known_answer_shapes();
/// Returns the known shape with hits at this place. Throws Error(kUsage) if there is none.
[[nodiscard]] const AnswerShape& known_answer_shape(std::string_view hits);

/// Throws Error(kUsage) if a text is no JSON pointer.
void check_json_pointer(std::string_view text);

/// The ranking in an engine's answer.
struct EngineAnswer {
  std::vector<std::string_view> docnos{};
  std::optional<std::chrono::nanoseconds> took{};  ///< by the engine's own clock
  std::optional<std::uint64_t> total{};
  bool is_total_least = false;       ///< at least `total` documents matched
  std::optional<Rank> first_rank{};  ///< if the answer says it
  /// What the answer says of itself: kTimedOut, kPartial, kFailed.
  RankingFlags flags = RankingFlags::kNone;
};

/// Returns the flags of a ranking with this many hits from `first_rank` on. `depth` hits were asked
/// for, and `said` has the flags that are known. A search that timed out or failed, and has hits,
/// is partial. A ranking without hits failed if documents match at its ranks. One with fewer hits
/// than match there is partial, unless each hit stands for several documents. 0 is an unknown
/// depth.
[[nodiscard]] RankingFlags settled_flags(RankingFlags said, std::size_t hits, Rank first_rank,
                                         std::uint32_t depth,
                                         std::optional<std::uint64_t> total) noexcept;

/// Reads answers, one at a time. Not thread-safe.
class EngineAnswerReader {
 public:
  EngineAnswerReader();
  ~EngineAnswerReader();
  EngineAnswerReader(const EngineAnswerReader&) = delete;
  EngineAnswerReader& operator=(const EngineAnswerReader&) = delete;

  /// Returns the ranking. Its docnos are valid until the next call. Throws Error(kBadInput) if
  /// the text is not JSON, has no list of hits although it says neither a total nor a failure, has
  /// a hit without a docno, or a time of more than an hour.
  [[nodiscard]] EngineAnswer read(std::string_view json, const AnswerShape& shape);
  /// Returns the text at a place of the answer that was read last, such as a cursor for the next
  /// page; empty if there is none. Anything but a text is returned as its JSON.
  [[nodiscard]] std::string text_at(std::string_view pointer) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace prescope
#pragma GCC visibility pop
