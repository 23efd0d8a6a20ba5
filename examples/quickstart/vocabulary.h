#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "random.h"

namespace quickstart {

/// Words, most frequent first, used by Zipf's law.
class WordList {
 public:
  WordList(std::vector<std::string> words, std::uint32_t flatness)
      : words_(std::move(words)), use_(words_.size(), flatness) {}
  [[nodiscard]] const std::string& draw(Random& random) const { return words_[use_.draw(random)]; }
  [[nodiscard]] const std::vector<std::string>& words() const noexcept { return words_; }

 private:
  std::vector<std::string> words_;
  Zipf use_;
};

/// A technical thing with several names. Two patents about the same thing often name it
/// differently, and the same name means other things in other fields; this makes prior-art search
/// hard.
struct Concept {
  static constexpr std::size_t kNames = 3;
  std::array<std::string, kNames> names;
};

/// A narrow technical problem that several inventions solve; most citations stay within one.
struct Problem {
  std::vector<std::uint32_t> concepts;  ///< positions in Field::concepts
};

/// An IPC group ("H04L 12/28") with the words of its field.
struct Field {
  std::string ipc;
  WordList words;
  std::vector<Concept> concepts;
  std::vector<Problem> problems;
};

/// An IPC subclass ("H04L").
struct Subject {
  std::string ipc;
  WordList words;
  std::vector<Field> fields;
};

/// The latent structure of the collection and the words that go with it: subject > field > problem.
struct Vocabulary {
  std::vector<Subject> subjects;
  WordList general;  ///< words of any subject
};

/// Made from `random` alone: real words for the subjects, pronounceable made-up words for the rest.
[[nodiscard]] Vocabulary make_vocabulary(Random& random);

}  // namespace quickstart
