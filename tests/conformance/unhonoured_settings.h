#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "conformance/watched.h"
#include "prescope/engine.h"

namespace prescope::conformance {

/// A setting of an arm, and an index that cannot honour it.
struct UnhonouredSetting {
  std::string setting;   ///< the first word of its line in `Engine::arm_settings`
  ArmSetting written{};  ///< the key, with NAME filled in, a value and a place
  std::function<void(const std::filesystem::path& index)> write{};  ///< null: any index honours it
  std::string says{};                ///< part of the refusal; or why any index honours it
  std::vector<ArmSetting> beside{};  ///< settings that it needs
  std::string good{};                ///< a value that `good` honours, if it is another
};

/// Fails for a setting of the engine without a row. Expects each row's index to be refused with
/// place and reason, and `good`, which honours everything, to be searched without a note.
inline void expect_unhonoured_settings_are_said(Engine& engine,
                                                std::span<const UnhonouredSetting> rows,
                                                const std::filesystem::path& good) {
  for (const std::string_view line : engine.arm_settings()) {
    const std::string_view setting = line.substr(0, line.find(' '));
    EXPECT_EQ(std::ranges::count(rows, setting, &UnhonouredSetting::setting), 1)
        << setting << " has no row: write an index that cannot honour it, or say why any can";
  }
  for (const UnhonouredSetting& row : rows) {
    SCOPED_TRACE(row.setting);
    if (row.write == nullptr) {
      EXPECT_NE(row.says, "");
      continue;
    }
    const ScratchFolder scratch;
    const std::filesystem::path index = scratch.path() / "index";
    row.write(index);
    ArmConfig arm{ArmId{"a"}, row.beside};
    arm.settings.push_back(row.written);
    Watched watched(Watched::Citations{{"T1", "EP1"}});
    const auto opened = engine.open(index, watched.experiment());
    expect_error(ErrorCode::kUsage, row.written.place + ": " + row.written.key,
                 [&] { return opened->searcher(arm); });
    expect_error(ErrorCode::kUsage, row.says, [&] { return opened->searcher(arm); });
    if (!row.good.empty()) arm.settings.back().value = row.good;
    Watched again(Watched::Citations{{"T1", "EP1"}});
    EXPECT_THAT(engine.open(good, again.experiment())->searcher(arm)->notes(),
                ::testing::IsEmpty());
  }
}

}  // namespace prescope::conformance
