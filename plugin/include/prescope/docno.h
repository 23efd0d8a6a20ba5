#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "prescope/types.h"

// A private type. It is outside of the pragma, so the library does not export it.
namespace prescope {
class FamilySource;
}  // namespace prescope

#pragma GCC visibility push(default)
namespace prescope {

/// The rule by which two docnos name the same document.
enum class DocnoPolicy {
  kRaw,          ///< byte for byte
  kPublication,  ///< separators, letter case and zero padding unified, kind code kept
  kPatent,       ///< as publication, kind code dropped: EP-0971326-B1 = EP0971326A3
  kFamily,       ///< as patent, then by a map file to the patent family
};

/// Parses `raw`, `publication`, `patent` or `family`. Throws Error(kUsage) with the nearest of
/// them.
[[nodiscard]] DocnoPolicy parse_docno_policy(std::string_view text);
[[nodiscard]] std::string_view to_string(DocnoPolicy policy) noexcept;

/// The patent family of each document. Docnos are compared without kind code.
class FamilyMap {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

 public:
  using ByPatent = std::unordered_map<std::string, std::string, Hash, std::equal_to<>>;

  FamilyMap() = default;
  /// Reads lines `docno family` (spaces or tabs, gzip allowed). The family may be empty behind a
  /// tab. Throws Error(kIo, kBadInput).
  [[nodiscard]] static FamilyMap load(const std::filesystem::path& path);
  /// A family that is empty, a number up to 0, or a word for nothing (-, ?, none, null, nan, na,
  /// n/a, nil, unknown, missing, \\N) is no family: the patent is counted. Throws Error(kBadInput)
  /// if the patent has another family already.
  void add(const Docno& docno, std::string_view family);
  /// Calls of `add` with a family that means none.
  struct WithoutFamily {
    std::uint64_t patents = 0;
    std::string example{};  ///< the first value
  };
  [[nodiscard]] const WithoutFamily& without_family() const noexcept { return without_family_; }
  /// Returns `family:NAME`, which no patent key can equal, for a key of DocnoPolicy::kPatent;
  /// empty if there is none.
  [[nodiscard]] std::string_view find(std::string_view patent_key) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return families_.empty(); }
  /// Returns the family of each patent key as `family:NAME`, in no particular order.
  [[nodiscard]] const ByPatent& by_patent() const noexcept { return families_; }

 private:
  ByPatent families_;
  WithoutFamily without_family_;
};

/// Room for one normalised docno, so that normalising needs no allocation.
using DocnoBuffer = std::array<char, 64>;

/// Maps every spelling of a docno to one key. Immutable, thread-safe, cheap to copy.
///
/// A patent number is: two letters of country, up to two letters and at least one digit of number,
/// an optional kind code of one letter and at most one digit, with any of space - . / , _ between.
/// `EP-0971326-B1`, `EP0971326B1`, `ep 0 971 326 b1` have the publication key `EP971326B1` and the
/// patent key `EP971326`. A docno of another form, or of more than 64 bytes, is its own key.
class DocnoNormalizer {
 public:
  /// Uses DocnoPolicy::kRaw.
  DocnoNormalizer() = default;
  /// Throws Error(kUsage) if the policy is kFamily and the map is empty.
  explicit DocnoNormalizer(DocnoPolicy policy, FamilyMap families = {});
  /// Returns a normaliser of DocnoPolicy::kFamily for topics that know the families of their own
  /// documents (TopicQrels::Alias): its keys are patent keys.
  [[nodiscard]] static DocnoNormalizer with_families_of_topics();
  /// Returns a copy that asks the source for families that its map does not list.
  [[nodiscard]] DocnoNormalizer with(std::shared_ptr<const FamilySource> source) const;

  [[nodiscard]] DocnoPolicy policy() const noexcept { return policy_; }
  /// Returns the map of DocnoPolicy::kFamily; null under any other policy, and without a map.
  [[nodiscard]] const FamilyMap* families() const noexcept { return families_.get(); }
  /// Returns the key as a view into `docno`, `buffer` or the family map, which lives as long as any
  /// copy of this object. About 50 ns and no allocation, without a source.
  [[nodiscard]] std::string_view key(std::string_view docno, DocnoBuffer& buffer) const noexcept;
  [[nodiscard]] std::string key(const Docno& docno) const;

 private:
  DocnoPolicy policy_ = DocnoPolicy::kRaw;
  std::shared_ptr<const FamilyMap> families_;
  std::shared_ptr<const FamilySource> source_;
};

/// Documents by key, whatever their spelling, such as those that a search leaves out. Immutable,
/// thread-safe.
class DocnoSet {
 public:
  DocnoSet(std::span<const Docno> docnos, const DocnoNormalizer& policy);
  [[nodiscard]] bool empty() const noexcept { return keys_.empty(); }
  /// No allocation; O(log(documents)).
  [[nodiscard]] bool contains(std::string_view docno) const noexcept;

 private:
  DocnoNormalizer policy_;
  std::vector<std::string> keys_;  // ascending
};

}  // namespace prescope
#pragma GCC visibility pop
