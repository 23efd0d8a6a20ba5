#pragma once

#include <string>

#include "collection.h"

namespace quickstart {

/// Text of a publication. The members of a family share title and abstract; granted patents have
/// narrower claims of their own and, as in reality, no abstract.
struct PatentText {
  std::string title, abstract, claims, description;
};

/// Depends on the collection's seed and the position of the publication alone. Thread-safe.
[[nodiscard]] PatentText make_text(const Collection& collection, std::uint32_t publication);

}  // namespace quickstart
