#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

struct PatentDocument;

/// What an index says of itself. What neither its builder recorded nor its engine can tell is
/// missing.
struct IndexPassport {
  struct Field {
    std::string name{};                        ///< as arms name it: "title"
    std::optional<std::uint64_t> documents{};  ///< that have a text there
    friend bool operator==(const Field&, const Field&) = default;
  };
  /// How texts became terms: "words in lower case, English stop words left out, Porter stems".
  std::optional<std::string> analyzer{};
  /// The searched fields, each once; no document has a text in a field that is not named.
  std::optional<std::vector<Field>> fields{};
  /// 16 hexadecimal digits, of the docnos and texts of all documents in any order.
  std::optional<std::string> checksum{};
  friend bool operator==(const IndexPassport&, const IndexPassport&) = default;
};

/// Gathers the passport of an index while it is built. Not thread-safe.
class PassportRecorder {
 public:
  void add(const PatentDocument& document);
  /// Returns texts by name, to be stored with the index; `read_passport` reads them.
  [[nodiscard]] std::map<std::string, std::string> entries(std::string_view analyzer) const;

 private:
  std::map<std::string, std::uint64_t> documents_;  // by field
  std::uint64_t all_ = 0;
  std::uint64_t sum_ = 0;
};

/// Returns what a builder recorded: `entry` returns the text of a name, empty if there is none. If
/// the index does not have as many documents as were recorded, others have written to it, and only
/// the analyzer is known.
[[nodiscard]] IndexPassport read_passport(
    const std::function<std::string(const std::string& name)>& entry, std::uint64_t documents);

/// Returns a hash of the searched texts, for a builder that keeps it with each document.
[[nodiscard]] std::uint64_t digest_of(const PatentDocument& document) noexcept;
/// Returns a hash of a text, the same on every machine; `before` continues another one.
[[nodiscard]] std::uint64_t text_hash(std::string_view text, std::uint64_t before = 0) noexcept;

/// Returns a sentence if fewer than nine tenths of the documents have the field that an arm names;
/// empty if not, or if their number is unknown.
[[nodiscard]] std::string rare_field_note(const IndexPassport::Field& field,
                                          std::uint64_t documents);
/// "9 of 300 (3.0 %)".
[[nodiscard]] std::string share_words(std::uint64_t part, std::uint64_t all);

}  // namespace prescope
#pragma GCC visibility pop
