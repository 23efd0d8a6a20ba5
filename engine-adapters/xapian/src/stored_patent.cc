#include "stored_patent.h"

#include <nlohmann/json.hpp>

#include "text.h"

namespace prescope::xapian {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& stored, const char* key) {
  const auto found = stored.find(key);
  return found != stored.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> texts_of(const Json& stored, const char* key) {
  std::vector<std::string> texts;
  const auto found = stored.find(key);
  if (found == stored.end() || !found->is_array()) return texts;
  for (const Json& one : *found) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

}  // namespace

std::string to_data(const PatentDocument& patent) {
  Json stored = {{"docno", patent.docno.text()}};
  if (!patent.title.empty()) stored["title"] = patent.title;
  if (!patent.abstract.empty()) stored["abstract"] = patent.abstract;
  if (!patent.ipc.empty()) stored["ipc"] = patent.ipc;
  for (const Docno& member : patent.family) stored["family"].push_back(member.text());
  try {
    return stored.dump();
  } catch (const Json::type_error&) {
    throw Error(ErrorCode::kBadInput,
                "document '" + patent.docno.text() + "' has a text that is not valid UTF-8");
  }
}

PatentDocument from_data(std::string_view data, std::string_view docno) {
  PatentDocument patent;
  patent.docno = Docno{docno};
  const Json stored = Json::parse(data, nullptr, false);
  if (!stored.is_object()) return patent;
  if (const std::string spelled = text_of(stored, "docno"); !spelled.empty()) {
    patent.docno = Docno{spelled};
  }
  patent.title = text_of(stored, "title");
  patent.abstract = text_of(stored, "abstract");
  patent.ipc = texts_of(stored, "ipc");
  for (const std::string& member : texts_of(stored, "family")) patent.family.emplace_back(member);
  return patent;
}

void require_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
  } catch (const nlohmann::json::type_error&) {
    throw Error(ErrorCode::kBadInput,
                "a text of " + std::to_string(text.size()) + " bytes is not valid UTF-8");
  }
}

}  // namespace prescope::xapian
