#include "text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace quickstart {
namespace {

constexpr std::array<std::string_view, 20> kLinks{" of the ",
                                                  " and a ",
                                                  " is connected to the ",
                                                  " for ",
                                                  ", wherein said ",
                                                  " with the ",
                                                  " comprising a ",
                                                  " in the ",
                                                  " by means of a ",
                                                  " so that a ",
                                                  " to the ",
                                                  " having a ",
                                                  " between the ",
                                                  " through a ",
                                                  " which holds the ",
                                                  " is arranged on the ",
                                                  " from the ",
                                                  " at each ",
                                                  " adapted to the ",
                                                  " under the "};
constexpr std::array<std::string_view, 6> kOpenings{
    "The ",           "A ", "According to the invention, the ", "In one embodiment a ", "Each ",
    "Preferably the "};

/// Probability that a word comes from each level, in 1/1000; the rest are general words.
struct Mixture {
  std::uint32_t problem, own, field, subject;
};
constexpr Mixture kTitleMixture{.problem = 330, .own = 60, .field = 200, .subject = 210};
constexpr Mixture kBodyMixture{.problem = 110, .own = 80, .field = 130, .subject = 160};

/// Speaks about one invention in its own terms.
class Author {
 public:
  Author(const Collection& collection, const Invention& invention, Random random)
      : vocabulary_(collection.vocabulary),
        invention_(invention),
        subject_(vocabulary_.subjects[invention.subject]),
        field_(subject_.fields[invention.field]),
        random_(random) {}

  std::string title() {
    static constexpr std::array<std::string_view, 5> kForms{"Method for ", "Device for ", "",
                                                            "Apparatus with ", "Improved "};
    std::string text(kForms[random_.below(kForms.size())]);
    text += subject_.words.draw(random_);
    for (std::uint32_t more = random_.between(2, 5); more > 0; --more) {
      text += random_.chance(350) ? " and " : " ";
      text += word(kTitleMixture);
    }
    text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
  }

  std::string sentences(std::uint32_t words) {
    std::string text;
    while (words > 0) {
      const std::uint32_t length = std::min(words, random_.between(6, 14));
      if (!text.empty()) text += ' ';
      text += kOpenings[random_.below(kOpenings.size())];
      text += phrase(length);
      text += '.';
      words -= length;
    }
    return text;
  }

  std::string claims(std::uint32_t count) {
    std::string text;
    for (std::uint32_t number = 1; number <= count; ++number) {
      if (number > 1) text += ' ';
      text += std::to_string(number);
      text += number == 1 ? ". A device comprising a " : ". The device as claimed, wherein the ";
      text += phrase(random_.between(number == 1 ? 18 : 6, number == 1 ? 30 : 12));
      text += '.';
    }
    return text;
  }

  Random& random() { return random_; }

 private:
  std::string phrase(std::uint32_t words) {
    std::string text(word(kBodyMixture));
    for (std::uint32_t i = 1; i < words; ++i) {
      text += random_.chance(550) ? kLinks[links_.draw(random_)] : std::string_view(" ");
      text += word(kBodyMixture);
    }
    return text;
  }

  std::string_view word(const Mixture& mixture) {
    std::uint32_t draw = random_.below(1000);
    if (draw < mixture.problem) return concept_name();
    draw -= mixture.problem;
    if (draw < mixture.own) {
      return vocabulary_.general
          .words()[invention_.own_words[random_.below(invention_.own_words.size())]];
    }
    draw -= mixture.own;
    if (draw < mixture.field) return field_.words.draw(random_);
    draw -= mixture.field;
    if (draw < mixture.subject) return subject_.words.draw(random_);
    return vocabulary_.general.draw(random_);
  }

  /// Mostly the name that this invention prefers; sometimes another.
  std::string_view concept_name() {
    const Invention::Use& use = invention_.uses[random_.below(invention_.uses.size())];
    const Concept& thing = field_.concepts[use.concept_index];
    return thing.names[random_.chance(900) ? use.name : random_.below(Concept::kNames)];
  }

  const Vocabulary& vocabulary_;
  const Invention& invention_;
  const Subject& subject_;
  const Field& field_;
  Random random_;
  Zipf links_{kLinks.size(), 2};
};

/// Lengths differ widely between patents: mostly short, a few several times as long.
std::uint32_t length(Random& random, std::uint32_t typical) {
  std::uint32_t words = random.between(typical / 3, typical);
  while (words < 8 * typical && random.chance(450)) words += random.between(typical / 2, typical);
  return words;
}

}  // namespace

PatentText make_text(const Collection& collection, std::uint32_t publication) {
  const Publication& made = collection.publications[publication];
  const Invention& invention = collection.inventions[made.invention];
  const std::uint64_t seed = collection.options.seed;
  // Two streams: one for the text that the family shares, one for this document.
  Author shared(collection, invention, Random::stream(seed, invention.first_publication));
  Author own(collection, invention, Random::stream(~seed, publication));

  PatentText text;
  text.title = shared.title();
  const std::string abstract = shared.sentences(length(shared.random(), 40));
  text.description = shared.sentences(length(shared.random(), 50));
  const bool granted =
      made.kind == Publication::Kind::kEpB1 || made.kind == Publication::Kind::kUsB2;
  if (!granted) text.abstract = abstract;
  text.claims = own.claims(granted ? 4 : 3);
  return text;
}

}  // namespace quickstart
