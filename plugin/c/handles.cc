#include "c/handles.h"

namespace prescope::c {

namespace {

/// Copies as much as fits, without cutting a character of UTF-8.
void write_message(prescope_error* error, std::string_view message) noexcept {
  if (error == nullptr) return;
  constexpr std::string_view kCut = "...";
  constexpr std::size_t kRoom = sizeof(error->message) - 1;
  std::size_t size = message.size();
  const bool is_cut = size > kRoom;
  if (is_cut) {
    size = kRoom - kCut.size();
    constexpr unsigned kContinuation = 0x80U, kMask = 0xC0U;
    while (size > 0 && (static_cast<unsigned char>(message[size]) & kMask) == kContinuation) --size;
  }
  std::memcpy(error->message, message.data(), size);
  if (is_cut) std::memcpy(error->message + size, kCut.data(), kCut.size());
  error->message[size + (is_cut ? kCut.size() : 0)] = '\0';
}

prescope_code code_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kUsage:
      return PRESCOPE_USAGE;
    case ErrorCode::kBadInput:
      return PRESCOPE_BAD_INPUT;
    case ErrorCode::kIo:
      return PRESCOPE_IO;
    case ErrorCode::kEngine:
      return PRESCOPE_ENGINE;
  }
  return PRESCOPE_INTERNAL;
}

}  // namespace

char* allocated(std::string_view text) {
  auto* const copy = new char[text.size() + 1];
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

std::size_t position_of(std::string_view kind, const char* word,
                        std::span<const std::string_view> words) {
  const std::string_view name = &required(word, kind);
  const auto found = std::ranges::find(words, name);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw Error(ErrorCode::kUsage, unknown_name_message(kind, name, words));
}

TopicSlices slices_of(const char* path, const char* by, const Qrels& qrels) {
  SliceSource source;
  if (path != nullptr) source.file = path;
  if (by != nullptr && *by != '\0') source.by = slice_dimensions(by);
  return read_slices(source, qrels);
}

prescope_code caught(prescope_error* error) noexcept {
  try {
    throw;
  } catch (const Error& refused) {
    write_message(error, refused.what());
    return code_of(refused.code());
  } catch (const std::bad_alloc&) {
    write_message(error, "not enough memory");
    return PRESCOPE_NO_MEMORY;
  } catch (const std::exception& fault) {
    write_message(error, fault.what());
    return PRESCOPE_INTERNAL;
  } catch (...) {
    write_message(error, "an unknown exception");
    return PRESCOPE_INTERNAL;
  }
}

}  // namespace prescope::c

const char* prescope_version(void) { return PRESCOPE_VERSION; }

void prescope_text_free(char* text) { delete[] text; }
