#pragma once

#include <cstring>
#include <new>

#include "base/errors.h"
#include "c/include/prescope.h"
#include "prescope/experiment.h"
#include "prescope/offline.h"
#include "prescope/slices.h"

namespace prescope::c {

/// Judgements, and what reports say about how they were read.
struct NamedQrels {
  std::string name;
  CitationCategories categories{};
  Qrels qrels;
};

}  // namespace prescope::c

struct prescope_qrels {
  std::shared_ptr<const prescope::c::NamedQrels> judged;
};

struct prescope_run {
  std::string name;
  std::shared_ptr<const prescope::c::NamedQrels> judged;
  prescope::JudgedRun run;
};

struct prescope_experiment {
  std::string dashboard_url{};
  std::shared_ptr<prescope::ObservationLog> store{};  // null: none
  std::unique_ptr<prescope::Experiment> experiment{};
};

struct prescope_index {
  std::shared_ptr<const prescope::ResolvedQrels> resolved;
};

namespace prescope::c {

[[nodiscard]] inline std::string_view view_of(prescope_text text) noexcept {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}
[[nodiscard]] inline prescope_text text_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
/// Returns a copy that prescope_text_free gives back. Throws std::bad_alloc.
[[nodiscard]] char* allocated(std::string_view text);

/// Throws Error(kUsage) for a null pointer.
template <class T>
T& required(T* pointer, std::string_view name) {
  if (pointer == nullptr) throw usage_error("{} is NULL", name);
  return *pointer;
}

/// Copies a struct that begins with its size over `defaults`. Returns false if it is of no version
/// that this library knows.
template <class Options>
[[nodiscard]] bool copy_versioned(const Options* given, Options& defaults) noexcept {
  if (given == nullptr) return true;
  const std::size_t size = given->size;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  // Another size would cut a member in two.
  if (size < sizeof(std::size_t) || size > 16 * sizeof(Options) || size % alignof(Options) != 0) {
    return false;
  }
  // The caller must not use members that a later version added.
  for (std::size_t i = sizeof(Options); i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  std::memcpy(&defaults, given, std::min(size, sizeof(Options)));
  return true;
}
/// Throws Error(kUsage), naming the struct.
template <class Options>
[[nodiscard]] Options versioned(const Options* given, Options defaults, std::string_view name) {
  if (copy_versioned(given, defaults)) return defaults;
  throw usage_error(
      "{} of size {}: this library knows {} bytes; begin with the INIT macro of its header", name,
      given->size, sizeof(Options));
}

/// Returns the position of `word` among `words`. Throws Error(kUsage) with the nearest.
[[nodiscard]] std::size_t position_of(std::string_view kind, const char* word,
                                      std::span<const std::string_view> words);

/// Returns the value whose `to_string` is `word`. Throws Error(kUsage) with the nearest.
template <class Enum>
[[nodiscard]] Enum value_of(std::string_view kind, const char* word,
                            std::initializer_list<Enum> values) {
  std::vector<std::string_view> words;
  for (const Enum value : values) words.push_back(to_string(value));
  return values.begin()[position_of(kind, word, words)];
}

/// Reads the slices that the options of a comparison or an experiment name. Throws as read_slices.
[[nodiscard]] TopicSlices slices_of(const char* path, const char* by, const Qrels& qrels);

/// Writes the exception that is being handled into `error`, and returns its code.
[[nodiscard]] prescope_code caught(prescope_error* error) noexcept;

/// Calls `call`; no exception passes.
template <class Call>
prescope_code guarded(prescope_error* error, Call call) noexcept {
  if (error != nullptr) error->message[0] = '\0';
  try {
    call();
    return PRESCOPE_OK;
  } catch (...) {
    return caught(error);
  }
}
/// The same for a call that makes `*made`, which is null if it fails. `name`: of the argument.
template <class Made, class Call>
prescope_code guarded_making(Made** made, std::string_view name, prescope_error* error,
                             Call call) noexcept {
  if (made != nullptr) *made = nullptr;
  return guarded(error, [&] {
    required(made, name);
    *made = call();
  });
}

}  // namespace prescope::c
