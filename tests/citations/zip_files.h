#pragma once

#include <gtest/gtest.h>
#include <minizip/zip.h>

#include <string>
#include <utility>
#include <vector>

#include "support/scratch_file.h"

namespace prescope {

/// Writes a zip archive of these members.
inline std::filesystem::path write_zip(
    const ScratchFolder& folder, const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& members) {
  const std::filesystem::path path = folder.path() / name;
  zipFile archive = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  for (const auto& [member, bytes] : members) {
    EXPECT_EQ(zipOpenNewFileInZip64(archive, member.c_str(), nullptr, nullptr, 0, nullptr, 0,
                                    nullptr, Z_DEFLATED, Z_BEST_SPEED, 0),
              ZIP_OK);
    EXPECT_EQ(zipWriteInFileInZip(archive, bytes.data(), static_cast<unsigned>(bytes.size())),
              ZIP_OK);
    EXPECT_EQ(zipCloseFileInZip(archive), ZIP_OK);
  }
  EXPECT_EQ(zipClose(archive, nullptr), ZIP_OK);
  return path;
}

}  // namespace prescope
