#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace prescope {

/// The reason why set-up or input was refused. The program's exit code is 2 for each of them.
enum class ErrorCode {
  kUsage,     ///< an unknown name or option, a value out of range
  kBadInput,  ///< a file's content: malformed, empty, contradictory
  kIo,        ///< a file or folder that is missing, unreadable, locked or truncated
  kEngine,    ///< the search engine refused: index damaged, field missing
};

/// The one exception type of set-up and input, never thrown on the query path. `what()` says place,
/// what was found, what was expected, and how to mend it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Returns the candidate with the smallest edit distance to `name` (case ignored; the first on a
/// tie), of those that begin with it if there are any and it has three letters or more; an empty
/// view if there are no candidates. Thread-safe.
[[nodiscard]] std::string_view nearest_name(std::string_view name,
                                            std::span<const std::string_view> candidates);

/// Returns the sentence for a name that is not one of `candidates`: "unknown KIND 'NAME'; did you
/// mean 'NEAREST'? Valid: a, b, c".
[[nodiscard]] std::string unknown_name_message(std::string_view kind, std::string_view name,
                                               std::span<const std::string_view> candidates);

}  // namespace prescope
#pragma GCC visibility pop
