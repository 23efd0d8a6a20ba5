#include "arm_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "known_engines.h"
#include "prescope/arm_settings.h"
#include "prescope/error.h"

namespace prescope::http {

namespace {

constexpr std::string_view kHeaders = "headers.", kSecretHeaders = "headers_env.";
constexpr std::array<std::string_view, 5> kServers{"opensearch", "elasticsearch", "solr", "vespa",
                                                   "json"};
constexpr std::array<std::string_view, 2> kPartialAnswers{"refuse", "serve"};
constexpr std::array<std::string_view, 2> kVerify{"true", "false"};
constexpr std::array<std::string_view, 4> kMethods{"GET", "POST", "PUT", "QUERY"};

/// Settings for places and conditions of an answer. They replace what is known of an engine.
struct PlaceSetting {
  std::string_view key;
  std::vector<std::string> AnswerShape::*member;
};
constexpr std::array<PlaceSetting, 7> kPlaces{{{"docno", &AnswerShape::docno},
                                               {"total", &AnswerShape::total},
                                               {"first_offset", &AnswerShape::offset},
                                               {"total_is_least", &AnswerShape::total_is_least},
                                               {"timed_out", &AnswerShape::timed_out},
                                               {"partial", &AnswerShape::partial},
                                               {"failed", &AnswerShape::failed}}};
constexpr std::array<std::string_view, 3> kOfKnownEngines{"query", "docno_field", "ties"};
constexpr std::array<std::string_view, 4> kOfRequest{"method", "path", "body", "content_type"};

constexpr std::array<std::string_view, 33> kSettings{
    "server          opensearch, elasticsearch, solr, vespa, or json: any answer in JSON; required",
    "query           known engines: the part of the request that asks, with {{QUERY}} or {{TOPIC}}",
    "docno_field     known engines: field that has the docno, default the document's id",
    "ties            known engines: field that orders equal scores on pages beyond the window",
    "method          GET, POST, PUT or QUERY, default POST with a body, else GET",
    "path            follows the index's URL, with {{QUERY}}, {{TOPIC}}, {{DEPTH}}, {{OFFSET}}",
    "body            of the request, with the same placeholders and {{TIMEOUT_MS}}",
    "content_type    of the body, default application/json",
    "hits            JSON pointer to the list of hits",
    "docno           JSON pointers within a hit to its docno; the first that is there counts",
    "total           JSON pointers to the number of documents that match",
    "first_offset    JSON pointers to the number of hits before the first",
    "total_is_least  conditions under which more documents than the total may match",
    "timed_out       conditions under which the search ran out of time",
    "partial         conditions under which the search did not see every document",
    "failed          conditions under which there is no ranking, or with hits a partial one",
    "window          most hits that one request gives, 0 for any number",
    "partial_answers refuse (after retries) or serve, default refuse",
    "timeout_s       seconds that a request may take, (0, 3600], default 10",
    "retries         of a request that may be answered better later, default 3",
    "rate            most requests a second, default any number",
    "in_flight       most requests at the same time, default any number",
    "user            with password_env or password_file",
    "password_env    environment variable with the user's password",
    "password_file   file with the password in its first line",
    "token_env       environment variable with a bearer token",
    "token_file      file with a bearer token in its first line",
    "api_key_env     environment variable with an API key",
    "api_key_file    file with an API key in its first line",
    "ca_file         certificates to trust, default the system's",
    "verify          true, or false for any certificate, default true",
    "headers.NAME    a header of each request; its value is stored with the results",
    "headers_env.NAME  environment variable with the value of a header"};

/// Returns the first words of the lines above, and the arm's headers.
std::vector<std::string_view> keys_of(const ArmConfig& arm) {
  std::vector<std::string_view> keys;
  for (const std::string_view line : kSettings) keys.push_back(line.substr(0, line.find(' ')));
  for (const ArmSetting& setting : arm.settings) {
    if (setting.key.starts_with(kHeaders) || setting.key.starts_with(kSecretHeaders)) {
      keys.push_back(setting.key);
    }
  }
  return keys;
}

/// Reads one arm's settings.
class Reader {
 public:
  explicit Reader(const ArmConfig& arm) : arm_(arm), keys_(keys_of(arm)), settings_(arm, keys_) {}

  ArmOptions read() {
    const auto server = settings_.one_of("server", kServers);
    if (settings_.find("server") == nullptr) {
      missing("server", "opensearch, elasticsearch, solr, vespa or json");
    }
    if (server) {
      options_.server = kServers[*server];
      read_server();
      read_request();
      read_places();
      check_request();
    }
    read_window();
    read_connection();
    read_secrets();
    settings_.throw_if_any();
    return std::move(options_);
  }

 private:
  [[nodiscard]] std::string text(std::string_view key) const {
    const ArmSetting* const setting = settings_.find(key);
    return setting == nullptr ? std::string() : setting->value;
  }

  /// Complains about a setting that the arm does not have.
  void missing(std::string_view key, std::string_view expected) {
    const std::string place = arm_.settings.empty() ? "" : arm_.settings.front().place;
    settings_.complain({.key = std::string(key), .value = {}, .place = place},
                       "arm '" + arm_.id.text() + "' has no " + std::string(key) + "; expected " +
                           std::string(expected));
  }

  void read_server() {
    const KnownSettings known{
        .query = text("query"), .docno_field = text("docno_field"), .ties = text("ties")};
    if (set_known_engine(options_.server, known, options_)) {
      if (!options_.cursor) {
        settings_.refuse(std::array<std::string_view, 1>{"ties"}, "server = " + options_.server,
                         "remove it: deeper pages come by their offset");
      }
      return;
    }
    settings_.refuse(kOfKnownEngines, "server = json", "write path or body, and docno");
    options_.request = {.method = "GET", .content_type = "application/json"};
    if (settings_.find("hits") == nullptr) {
      missing("hits", "the JSON pointer to the list of hits, such as /results");
    }
    if (settings_.find("docno") == nullptr) {
      missing("docno", "the JSON pointer from a hit to its docno, such as /id");
    }
  }

  void read_request() {
    RequestTemplate& request = options_.request;
    const bool has_body = settings_.find("body") != nullptr;
    if (settings_.find("path") != nullptr) request.path = text("path");
    if (has_body) {
      request.body = text("body");
      request.method = "POST";
    }
    if (settings_.find("content_type") != nullptr) request.content_type = text("content_type");
    if (const auto method = settings_.one_of("method", kMethods)) {
      request.method = kMethods[*method];
    }
    const auto is_set = [&](std::string_view key) { return settings_.find(key) != nullptr; };
    if (std::ranges::none_of(kOfRequest, is_set)) return;
    // Pages beyond the window would be asked for by another request.
    options_.cursor.reset();
    if (options_.server != "json") {
      settings_.refuse(kOfKnownEngines, "a request of your own",
                       "write it into body or path, and docno for the place of the docno");
    }
    if (options_.ask_fields) options_.fields = fields_of_query(request.body);
  }

  void read_places() {
    const auto check = [&](const ArmSetting& setting, const std::string& place) {
      const std::size_t operation = place.find_first_of("=<");
      try {
        check_json_pointer(std::string_view(place).substr(0, operation));
        const bool has_other = operation != std::string::npos && place[operation] == '<';
        if (has_other) check_json_pointer(std::string_view(place).substr(operation + 1));
      } catch (const Error& error) {
        settings_.complain(setting, setting.key + ": " + error.what());
      }
    };
    if (const ArmSetting* const hits = settings_.find("hits")) {
      check(*hits, hits->value);
      options_.shape.hits = hits->value;
    }
    for (const auto& [key, member] : kPlaces) {
      const ArmSetting* const setting = settings_.find(key);
      if (setting == nullptr) continue;
      std::vector<std::string>& places = options_.shape.*member;
      places = words_of(setting->value);
      if (key == "docno") options_.shape.docno_is_document_id = false;
      for (const std::string& place : places) check(*setting, place);
    }
  }

  /// Complains about a request that lacks what a search needs.
  void check_request() {
    const RequestTemplate& request = options_.request;
    const ArmSetting* setting = settings_.find("body");
    if (setting == nullptr) setting = settings_.find("path");
    if (setting == nullptr) setting = settings_.find("query");
    const ArmSetting none{.key = "path", .value = {}, .place = {}};
    const ArmSetting& at = setting == nullptr ? none : *setting;
    try {
      const Call call = request.fill("http://localhost/index", {.query = "query"});
      const bool is_json = call.content_type.find("json") != std::string::npos;
      if (is_json && !nlohmann::json::accept(call.body)) {
        settings_.complain(
            at, "the request is not JSON once its placeholders are filled: " + call.body);
      }
    } catch (const Error& error) {
      settings_.complain(at, error.what());
    }
    for (const char* const name : {"{{CURSOR}}", "{{CURSOR_JSON}}", "{{SNAPSHOT}}"}) {
      if (request.has(name)) {
        settings_.complain(at, std::string(name) + " has no meaning here; expected {{OFFSET}}");
      }
    }
    const bool is_joined = request.path.empty() || request.path.find_first_of("/?") == 0;
    if (!is_joined) settings_.complain(at, "path = '" + request.path + "'; expected / or ? first");
    check_stored(at, request.path + request.body);
    if (!request.has("{{QUERY}}") && !request.has("{{TOPIC}}")) {
      settings_.complain(at,
                         "neither {{QUERY}} nor {{TOPIC}} is in the request, so that each topic "
                         "gets the same ranking; expected one of them");
    }
    if (!request.has("{{DEPTH}}")) {
      settings_.complain(at,
                         "{{DEPTH}} is not in the request, so that the engine answers as many "
                         "hits as it likes; expected it");
    }
  }

  /// Complains about a secret in a text that is stored with the results.
  void check_stored(const ArmSetting& setting, std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* const word :
         {"apikey", "api_key", "api-key", "api.key", "-key=", "?token=", "&token=", "access_token",
          "auth_token", "password", "secret="}) {
      if (text.find(word) == std::string::npos) continue;
      settings_.complain(setting,
                         "a secret in a request would be stored with the results; send it in "
                         "a header, by token_env, api_key_env or headers_env.NAME");
    }
  }

  std::optional<std::uint32_t> count(std::string_view key, double least, double most) {
    const auto value = settings_.number(key, {.least = least, .most = most});
    if (!value) return std::nullopt;
    if (*value == static_cast<std::uint32_t>(*value)) return static_cast<std::uint32_t>(*value);
    settings_.complain(*settings_.find(key),
                       std::string(key) + " = '" + text(key) + "'; expected a whole number");
    return std::nullopt;
  }

  void read_window() {
    constexpr double kMost = 10'000'000;
    options_.window = count("window", 0, kMost).value_or(options_.window);
  }

  void read_connection() {
    Connection& to = options_.connection;
    constexpr double kMost = 100'000;
    to.retries = count("retries", 0, 100).value_or(to.retries);
    to.most_a_second = count("rate", 1, kMost).value_or(0);
    to.most_at_once = count("in_flight", 1, kMost).value_or(0);
    constexpr double kHour = 3600, kMs = 1000;
    if (const auto seconds =
            settings_.number("timeout_s", {.least = 0, .most = kHour, .least_is_excluded = true})) {
      to.timeout = std::chrono::milliseconds(std::max<long>(1, static_cast<long>(*seconds * kMs)));
    }
    if (const auto verify = settings_.one_of("verify", kVerify)) to.verifies = *verify == 0;
    to.ca_file = text("ca_file");
    if (const auto partial = settings_.one_of("partial_answers", kPartialAnswers)) {
      options_.refuses_partial = *partial == 0;
    }
    if (!to.ca_file.empty() && !std::ifstream(to.ca_file)) {
      settings_.complain(*settings_.find("ca_file"), to.ca_file + ": cannot be read");
    }
    for (const ArmSetting& setting : arm_.settings) read_header(setting);
  }

  void read_header(const ArmSetting& setting) {
    const bool is_secret = setting.key.starts_with(kSecretHeaders);
    if (!is_secret && !setting.key.starts_with(kHeaders)) return;
    const std::string name = setting.key.substr((is_secret ? kSecretHeaders : kHeaders).size());
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto sounds = [&](const char* word) { return lower.find(word) != std::string::npos; };
    if (name.empty() || name.find_first_of(" :\r\n") != std::string::npos) {
      settings_.complain(setting, "'" + name + "' is not the name of a header");
    } else if (setting.value.empty() || setting.value.find_first_of("\r\n") != std::string::npos) {
      settings_.complain(setting, "expected one line as the value of a header");
    } else if (lower == "authorization") {
      settings_.complain(setting, "set user and password_env, token_env or api_key_env instead");
    } else if (!is_secret && (lower.ends_with("key") || lower.ends_with("auth") ||
                              sounds("token") || sounds("secret") || sounds("cookie") ||
                              sounds("password") || sounds("authorization"))) {
      settings_.complain(setting, "the value of " + name +
                                      " would be stored with the results; set headers_env." + name +
                                      " to the name of an environment variable");
    } else if (!is_secret) {
      options_.connection.headers.push_back(name + ": " + setting.value);
    } else if (const auto value = variable(setting)) {
      add_secret(*value);
      options_.connection.headers.push_back(name + ": " + *value);
    }
  }

  /// Keeps a text out of messages. Short texts are not kept out: a message may contain them by
  /// chance.
  void add_secret(const std::string& text) {
    constexpr std::size_t kShortest = 4;
    if (text.size() < kShortest) return;
    const std::string in_json =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    options_.connection.secrets.push_back(text);
    options_.connection.secrets.push_back(in_json.substr(1, in_json.size() - 2));
  }

  /// Returns the secret in the environment variable that a setting names.
  std::optional<std::string> variable(const ArmSetting& setting) {
    const char* const value = std::getenv(setting.value.c_str());
    if (value == nullptr || *value == '\0') {
      settings_.complain(setting, "the environment variable " + setting.value +
                                      " is not set; expected the secret in it");
      return std::nullopt;
    }
    std::string text = value;
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    if (!text.empty() && text.find_first_of("\r\n") == std::string::npos) return text;
    settings_.complain(setting, "the environment variable " + setting.value +
                                    " has several lines; expected a secret in one");
    return std::nullopt;
  }

  /// Returns the secret that the setting KEY_env or KEY_file names.
  std::optional<std::string> secret(const std::string& key) {
    const ArmSetting* const named = settings_.find(key + "_env");
    const ArmSetting* const file = settings_.find(key + "_file");
    if (named != nullptr && file != nullptr) {
      settings_.complain(*file, key + "_env and " + key + "_file are both set; keep one");
    }
    if (named != nullptr) return variable(*named);
    if (file != nullptr) {
      std::ifstream in(file->value);
      std::string line;
      if (std::getline(in, line)) return line.substr(0, line.find('\r'));
      settings_.complain(*file, file->value + ": cannot be read, or is empty; expected a secret");
    }
    return std::nullopt;
  }

  void read_secrets() {
    const auto password = secret("password"), token = secret("token"), key = secret("api_key");
    const ArmSetting* const user = settings_.find("user");
    if (user != nullptr && settings_.find("password_env") == nullptr &&
        settings_.find("password_file") == nullptr) {
      settings_.complain(*user, "user without a password; set password_env or password_file");
    }
    if (user == nullptr && password) missing("user", "the name that the password belongs to");
    Connection& to = options_.connection;
    if (user != nullptr && password) to.user_password = user->value + ":" + *password;
    for (const auto& one : {password, token, key}) {
      if (one) add_secret(*one);
    }
    if (token) to.headers.push_back("Authorization: Bearer " + *token);
    if (key) to.headers.push_back("Authorization: ApiKey " + *key);
    if (int{password.has_value()} + int{token.has_value()} + int{key.has_value()} > 1) {
      missing("single secret", "one of password, token and api_key");
    }
  }

  static std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(' ', begin)) != std::string::npos) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      begin = end;
    }
    return words;
  }

  const ArmConfig& arm_;
  std::vector<std::string_view> keys_;
  ArmSettings settings_;
  ArmOptions options_;
};

}  // namespace

ArmOptions read_arm_options(const ArmConfig& arm) { return Reader(arm).read(); }

std::span<const std::string_view> setting_lines() noexcept { return kSettings; }

}  // namespace prescope::http
