#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "prescope/qrels.h"

#pragma GCC visibility push(default)
namespace prescope {

/// Names of the topics that are in no slice of a dimension, and of several small slices together.
/// No slice of a file can have these names.
inline constexpr std::string_view kUnsliced = "(none)", kSmallSlices = "(small slices)";

/// Slices of fewer than kUnitsShown topics, or families, are taken together. A verdict about a
/// slice needs kUnitsThatSpeak topics, or families, and a difference in kDifferentThatSpeak.
inline constexpr std::uint32_t kUnitsShown = 10, kUnitsThatSpeak = 50, kDifferentThatSpeak = 20;
/// The most slices that a live experiment follows.
inline constexpr std::size_t kMostSlices = 100;

/// Groups of the judged topics: the slices of one or several dimensions, such as section A, B and C
/// of the dimension "section". A topic may be in several slices of a dimension, or in none.
struct TopicSlices {
  struct Slice {
    std::string name{};
    std::vector<TopicIndex> topics{};  ///< ascending
  };
  struct Dimension {
    std::string name{};
    std::vector<Slice> slices{};  ///< by their names, numbers by their values
    /// Topics of the judgements that are in no slice, ascending.
    std::vector<TopicIndex> unsliced{};
  };

  std::vector<Dimension> dimensions{};
  /// Number of different topics of the file that are not judged, and the first one.
  std::uint64_t unjudged = 0;
  std::string unjudged_example{};

  [[nodiscard]] bool empty() const noexcept { return dimensions.empty(); }
};

/// Where slices come from.
struct SliceSource {
  /// A table with a tab between `topic` and each dimension, named in its first line; lines
  /// `topic TAB slice`; JSON lines with `id` and a field for each dimension, such as the patents of
  /// an index; or a citation store. Plain or gzip. Empty: only "relevant" can be asked for.
  std::filesystem::path file{};
  /// Dimensions, in this order: columns or fields of the file; "relevant", the number of relevant
  /// documents; of patents also "section" (IPC), "country" and "year" (of publication), and of a
  /// store "language". Empty: all columns of a table, or all that a store has.
  std::vector<std::string> by{};
};

/// Returns the dimensions of a list such as "section,source".
[[nodiscard]] std::vector<std::string> slice_dimensions(std::string_view list);

/// Reads the slices of the topics; none if neither a file nor a dimension is named. Throws
/// Error(kIo), Error(kBadInput) for a malformed file and one that has no topic of the judgements,
/// and Error(kUsage) for a dimension that the file does not have, naming those that it has, and for
/// judgements that find their topics as they come.
[[nodiscard]] TopicSlices read_slices(const SliceSource& source, const Qrels& qrels);

}  // namespace prescope
#pragma GCC visibility pop
