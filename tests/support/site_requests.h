#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "serve/http/handler.h"

namespace prescope::serve {

using Query = std::map<std::string, std::string>;

inline Response answer_of(Handler& site, const std::string& path, const Query& query = {}) {
  return site.get({.path = path, .query = query});
}

/// The body of a document that must be there.
inline nlohmann::json document_of(Handler& site, const std::string& path, const Query& query = {}) {
  const Response response = answer_of(site, path, query);
  EXPECT_EQ(response.status, 200U) << path << ": " << *response.body;
  EXPECT_EQ(response.content_type, "application/json; charset=utf-8");
  return nlohmann::json::parse(*response.body);
}

/// The sentence of a request that must be refused so.
inline std::string refusal_by(Handler& site, unsigned status, const std::string& path,
                              const Query& query = {}) {
  const Response response = answer_of(site, path, query);
  EXPECT_EQ(response.status, status) << path;
  const auto body = nlohmann::json::parse(*response.body);
  EXPECT_EQ(body.size(), 1U);
  return body.value("error", "");
}

}  // namespace prescope::serve
