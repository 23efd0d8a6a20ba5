#include "request_template.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "prescope/error.h"

namespace prescope::http {

namespace {

enum class Syntax { kJson, kForm };

/// Returns the text between the quotation marks of a JSON string. Bytes that are not UTF-8 are
/// replaced.
std::string json_escaped(std::string_view text) {
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

class Filler {
 public:
  Filler(const Values& values, Syntax syntax) : values_(values), syntax_(syntax) {}

  std::string fill(std::string_view text) {
    std::string filled;
    while (true) {
      const std::size_t begin = text.find("{{");
      const std::size_t end = text.find("}}", begin);
      if (end == std::string_view::npos) {
        check_closed(text, begin);
        return filled.append(text);
      }
      const std::string_view name = text.substr(begin + 2, end - begin - 2);
      // JSON has braces of its own.
      const bool is_name = !name.empty() && name.find_first_not_of(kLetters) == name.npos &&
                           name.find_first_not_of(' ') != name.npos;
      const std::size_t taken = is_name ? begin : begin + 1;
      follow_quotes(text.substr(0, taken));
      filled.append(text.substr(0, taken));
      if (is_name) filled += value_of(name);
      text.remove_prefix(is_name ? end + 2 : taken);
    }
  }

 private:
  static void check_closed(std::string_view text, std::size_t begin) {
    const bool has_name = begin < text.size() && begin + 2 < text.size() &&
                          std::isalpha(static_cast<unsigned char>(text[begin + 2])) != 0;
    if (!has_name) return;
    throw Error(ErrorCode::kUsage,
                "the placeholder at '" + std::string(text.substr(begin, 12)) + "' has no }}");
  }

  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_- ";

  /// Keeps track of whether the next character is within a JSON string.
  void follow_quotes(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"') is_in_string_ = !is_in_string_;
      if (text[i] == '\\') ++i;
    }
  }

  [[nodiscard]] std::string text_of(std::string_view text) const {
    if (syntax_ == Syntax::kForm) return percent_encoded(text);
    const std::string escaped = json_escaped(text);
    return is_in_string_ ? escaped : '"' + escaped + '"';
  }

  [[nodiscard]] std::string value_of(std::string_view name) const {
    if (name == "QUERY") return text_of(values_.query);
    if (name == "TOPIC") return text_of(values_.topic);
    if (name == "SNAPSHOT") return text_of(values_.snapshot);
    if (name == "CURSOR") return text_of(values_.cursor);
    if (name == "CURSOR_JSON") return std::string(values_.cursor);
    if (name == "DEPTH") return std::to_string(values_.depth);
    if (name == "OFFSET") return std::to_string(values_.offset);
    if (name == "TIMEOUT_MS") return std::to_string(values_.timeout_ms);
    constexpr std::array<std::string_view, 5> kNames{"QUERY", "TOPIC", "DEPTH", "OFFSET",
                                                     "TIMEOUT_MS"};
    throw Error(ErrorCode::kUsage, unknown_name_message("placeholder", name, kNames));
  }

  const Values& values_;
  Syntax syntax_;
  bool is_in_string_ = false;
};

}  // namespace

std::string server_of(const std::string& index) {
  const std::size_t host = index.find("://") + 3;
  const std::size_t last = index.rfind('/');
  return last == std::string::npos || last < host ? index : index.substr(0, last);
}

Call RequestTemplate::fill(const std::string& index, const Values& values) const {
  std::string type = content_type;
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_form = type.starts_with("application/x-www-form-urlencoded");
  Call call{.method = method,
            .url = from == From::kIndex ? index : server_of(index),
            .content_type = body.empty() ? std::string() : content_type};
  call.url += Filler(values, Syntax::kForm).fill(path);
  call.body = Filler(values, is_form ? Syntax::kForm : Syntax::kJson).fill(body);
  return call;
}

}  // namespace prescope::http
