#pragma once

#if __cplusplus < 202002L
#error "prescope needs C++20: compile with -std=c++20 or newer"
#endif

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)
namespace prescope {

/// Time of the wall clock, UTC.
using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// A name that cannot be passed for another kind of name: `TopicId{Docno{"EP1"}}` does not compile.
/// Any bytes but NUL; empty only when default-constructed.
template <class Tag>
class Name {
 public:
  Name() = default;
  explicit Name(std::string text) : text_(std::move(text)) {}
  explicit Name(std::string_view text) : text_(text) {}
  explicit Name(const char* text) : text_(text) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

  friend auto operator<=>(const Name&, const Name&) = default;
  friend bool operator==(const Name&, const Name&) = default;

 private:
  std::string text_;
};

/// One information need, named as in the qrels and the topics file.
using TopicId = Name<struct TopicIdTag>;
/// A document's public name (publication number), never the engine's integer.
using Docno = Name<struct DocnoTag>;
/// One ranking configuration under comparison.
using ArmId = Name<struct ArmIdTag>;

/// An integer that cannot be passed for another kind of integer. 4 bytes, trivially copyable.
template <class Tag>
class Number {
 public:
  constexpr Number() = default;
  constexpr explicit Number(std::uint32_t value) noexcept : value_(value) {}

  [[nodiscard]] constexpr std::uint32_t value() const noexcept { return value_; }

  friend constexpr auto operator<=>(Number, Number) = default;
  friend constexpr bool operator==(Number, Number) = default;

 private:
  std::uint32_t value_ = 0;
};

/// The engine's integer for a document, valid for one index generation only.
using DocId = Number<struct DocIdTag>;
/// N_max: how many documents the searcher is willing to read, >= 1. Never the number returned.
using Cutoff = Number<struct CutoffTag>;
/// Position of an arm in `Experiment::arms()`.
using ArmIndex = Number<struct ArmIndexTag>;
/// Position of a topic in `Qrels::topics()`.
using TopicIndex = Number<struct TopicIndexTag>;
/// Number of a family of topics, below `Qrels::num_families()`.
using FamilyIndex = Number<struct FamilyIndexTag>;
/// Position of a judgement in `TopicQrels::judgements()`.
using JudgementIndex = Number<struct JudgementIndexTag>;

/// A position in a ranking, from 1.
using Rank = std::uint32_t;
/// A relevance grade as judged; relevant means grade >= the qrels' min grade.
using Grade = std::int32_t;

/// The topic of a query without judgements.
inline constexpr TopicIndex kUnjudgedTopic{UINT32_MAX};

}  // namespace prescope
#pragma GCC visibility pop

template <class Tag>
struct std::hash<prescope::Name<Tag>> {
  std::size_t operator()(const prescope::Name<Tag>& name) const noexcept {
    return std::hash<std::string>{}(name.text());
  }
};
