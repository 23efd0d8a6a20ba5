#pragma once

#include "prescope/engine.h"

namespace prescope::xapian {

/// Xapian for the `prescope` program.
class XapianEngine : public Engine {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "xapian"; }
  [[nodiscard]] std::string_view version() const noexcept override;
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override;
  /// Replaces an existing database only if prescope made it.
  [[nodiscard]] std::unique_ptr<IndexBuilder> create(const std::filesystem::path& folder) override;
  /// Opens any database with docnos as Q.. terms or in value slot 0, also an empty one: a folder,
  /// or one of Xapian's stub files, which names several of them, also on servers. A writer at work
  /// there does not matter. Throws Error(kIo) also if a server does not answer.
  [[nodiscard]] std::unique_ptr<SearchIndex> open(const std::string& place,
                                                  Experiment& experiment) override;
};

}  // namespace prescope::xapian
