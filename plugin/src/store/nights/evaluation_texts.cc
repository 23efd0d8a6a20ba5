#include "store/nights/evaluation_texts.h"

#include <fmt/format.h>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/unicode.h"

namespace prescope {

namespace {

using Json = nlohmann::ordered_json;

/// Calls `read` with the JSON value; returns false if the text or its values are of another kind.
template <class Read>
bool read_json(std::string_view text, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception&) {
    return false;
  }
}

/// 16 hexadecimal digits, because a JSON number has no room for 64 bits.
Json hash_json(const std::optional<std::uint64_t>& hash) {
  return hash ? Json(fmt::format("{:016x}", *hash)) : Json();
}

bool read_hash(const Json& json, std::optional<std::uint64_t>& hash) {
  if (json.is_null()) return true;
  const auto digits = json.get<std::string>();
  const char* const end = digits.data() + digits.size();
  const auto [last, failed] = std::from_chars(digits.data(), end, hash.emplace(), 16);
  return failed == std::errc() && last == end;
}

}  // namespace

std::string missing_text(const std::vector<Docno>& missing) {
  Json json = Json::array();
  for (const Docno& docno : missing) {
    if (is_utf8(docno.text())) json.push_back(docno.text());
  }
  return json.dump();
}

std::string conditions_text(const std::vector<Condition>& conditions) {
  Json json = Json::object();
  for (const Condition& one : conditions) json[valid_utf8(one.name)] = valid_utf8(one.value);
  return json.dump();
}

std::string samples_text(const std::vector<DocumentSample>& samples) {
  Json json = Json::object();
  for (const DocumentSample& one : samples) {
    if (!is_utf8(one.docno.text())) continue;
    json[one.docno.text()] = {hash_json(one.stored), hash_json(one.searched)};
  }
  return json.dump();
}

std::string passport_text(const IndexPassport& passport) {
  Json json = Json::object();
  if (passport.analyzer) json["analyzer"] = valid_utf8(*passport.analyzer);
  if (passport.fields) {
    Json& fields = json["fields"] = Json::object();
    for (const IndexPassport::Field& field : *passport.fields) {
      fields[valid_utf8(field.name)] = field.documents ? Json(*field.documents) : Json();
    }
  }
  if (passport.checksum) json["checksum"] = valid_utf8(*passport.checksum);
  return json.dump();
}

bool read_text(std::string_view text, std::vector<Docno>& missing) {
  return read_json(text, [&](const Json& json) {
    for (const Json& docno : json) missing.emplace_back(docno.get<std::string>());
    return json.is_array();
  });
}

bool read_text(std::string_view text, std::vector<Condition>& conditions) {
  return read_json(text, [&](const Json& json) {
    for (const auto& [name, value] : json.items()) {
      conditions.push_back({name, value.get<std::string>()});
    }
    return json.is_object();
  });
}

bool read_text(std::string_view text, std::vector<DocumentSample>& samples) {
  return read_json(text, [&](const Json& json) {
    for (const auto& [docno, hashes] : json.items()) {
      DocumentSample& one = samples.emplace_back(DocumentSample{.docno = Docno(docno)});
      if (!read_hash(hashes.at(0), one.stored) || !read_hash(hashes.at(1), one.searched)) {
        return false;
      }
    }
    return json.is_object();
  });
}

bool read_text(std::string_view text, IndexPassport& passport) {
  return read_json(text, [&](const Json& json) {
    if (json.contains("analyzer")) passport.analyzer = json["analyzer"].get<std::string>();
    if (json.contains("checksum")) passport.checksum = json["checksum"].get<std::string>();
    if (!json.contains("fields")) return json.is_object();
    passport.fields.emplace();
    for (const auto& [name, documents] : json["fields"].items()) {
      IndexPassport::Field& field = passport.fields->emplace_back(IndexPassport::Field{name, {}});
      if (!documents.is_null()) field.documents = documents.get<std::uint64_t>();
    }
    return true;
  });
}

}  // namespace prescope
