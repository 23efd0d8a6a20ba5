#pragma once

#include <optional>
#include <span>

#include "serve/http/handler.h"

namespace prescope::serve {

/// The parameters of a request, read one by one. All throw Error(kUsage) with a sentence that names
/// the valid values. Invalid bytes of names were replaced when they were shown, and names are
/// compared in that form.
class Parameters {
 public:
  /// `query` must outlive this. Refuses names that are not `known`, with the nearest one.
  Parameters(const std::map<std::string, std::string>& query,
             std::span<const std::string_view> known);

  // All return std::nullopt if the parameter is not given.
  [[nodiscard]] std::optional<std::string_view> text(const std::string& name) const;
  /// A number in [low, high].
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& name, std::uint64_t low,
                                                    std::uint64_t high) const;
  /// Position of the given name in `of`; `kind` names the kind of value in errors.
  [[nodiscard]] std::optional<std::size_t> choice(const std::string& name, std::string_view kind,
                                                  std::span<const std::string_view> of) const;

 private:
  const std::map<std::string, std::string>& query_;
};

/// Decodes "/api/topics?search=%C3%A4": %XX everywhere, + as a blank in the query only. Returns
/// std::nullopt for an ambiguous target: one that does not begin with '/', a broken escape, a
/// control character, invalid UTF-8, a '#', a parameter that is given twice, and a path with a
/// segment "." or "..", which a client should have resolved. "%2F" is a character of its segment:
/// "/api/topic/..%2Fx" is the topic
/// "../x".
[[nodiscard]] std::optional<Request> decode_target(std::string_view target);

}  // namespace prescope::serve
