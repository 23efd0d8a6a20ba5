#include "cli/options/output_file.h"

#include <cerrno>
#include <cstring>

#include "cli/options/terminal.h"

namespace prescope::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardOutput = "-";

fs::path partial_of(const fs::path& path) {
  std::error_code missing;
  const fs::file_status status = fs::status(path, missing);
  if (fs::is_directory(status)) {
    throw io_error("{}: is a folder; expected a file's name", path.string());
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) return path;
  return path.string() + ".partial";
}

Error cannot_write(const fs::path& path) {
  return io_error("{}: cannot be written: {}", path.string(), std::strerror(errno));
}

}  // namespace

void refuse_overwriting(const fs::path& output, std::span<const std::string> inputs) {
  std::error_code missing;
  const fs::file_status status = fs::status(output, missing);
  // The log and the store of a replay may both be new.
  const auto is_same = [&](const fs::path& input) {
    return fs::exists(status)
               ? fs::is_regular_file(status) && fs::equivalent(output, input, missing)
               : !output.empty() && fs::absolute(output) == fs::absolute(input);
  };
  for (const std::string& input : inputs) {
    if (input.empty() || !is_same(input)) continue;
    throw usage_error("{}: is an input of this command ('{}'); write to another file",
                      output.string(), input);
  }
}

OutputFile::OutputFile(fs::path path, std::span<const std::string> inputs)
    : path_(std::move(path)), partial_(is_stdout() ? path_ : partial_of(path_)) {
  refuse_overwriting(path_, inputs);
  if (partial_ != path_ && !std::ofstream(partial_)) throw cannot_write(path_);
}

OutputFile::~OutputFile() {
  std::error_code already_gone;
  if (partial_ != path_) fs::remove(partial_, already_gone);
}

void OutputFile::append(std::string_view piece) {
  if (is_stdout()) return print_result(piece);
  if (!out_.is_open()) out_.open(partial_, std::ios::binary);
  out_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  if (!out_) throw cannot_write(path_);
}

void OutputFile::finish(std::string_view last_piece) {
  append(last_piece);
  if (is_stdout()) return;
  out_.close();
  if (!out_) throw cannot_write(path_);
  if (partial_ != path_) fs::rename(partial_, path_);
}

void ResultFiles::add(Command& command, const std::string& flag, const std::string& help) {
  Target& target = targets_.emplace_back();
  target.flag = flag;
  command.add(flag, target.path, "FILE", help);
}

bool ResultFiles::wants(std::string_view flag) const {
  const auto target = std::ranges::find(targets_, flag, &Target::flag);
  return target != targets_.end() && !target->path.empty();
}

void ResultFiles::open(std::span<const std::string> inputs) {
  const auto on_stdout = std::ranges::count(targets_, kStandardOutput, &Target::path);
  if (on_stdout > 1) {
    throw usage_error(fmt::runtime(too_many_), on_stdout);
  }
  for (Target& target : targets_) {
    if (!target.path.empty() && target.path != kStandardOutput)
      target.file.emplace(target.path, inputs);
  }
}

void ResultFiles::write_for_now(const std::vector<Result>& results) {
  for (const auto& [flag, text] : results) {
    const auto target = std::ranges::find(targets_, flag, &Target::flag);
    if (!target->file || !target->file->can_be_replaced()) continue;
    target->file->finish(text());
  }
}

std::optional<std::string> ResultFiles::write(const std::vector<Result>& results) {
  std::optional<std::string> for_stdout;
  for (const auto& [flag, text] : results) {
    const auto target = std::ranges::find(targets_, flag, &Target::flag);
    if (target->file) {
      target->file->finish(text());
    } else if (target->path == kStandardOutput) {
      for_stdout = text();
    }
  }
  return for_stdout;
}

}  // namespace prescope::cli
