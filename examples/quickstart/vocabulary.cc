#include "vocabulary.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

namespace quickstart {
namespace {

constexpr std::size_t kGeneralWords = 30000;
constexpr std::size_t kSubjectWords = 30;
constexpr std::size_t kFieldsPerSubject = 6;
constexpr std::size_t kFieldWords = 24;
constexpr std::size_t kProblemsPerField = 10;
constexpr std::size_t kTerms = 1000;
constexpr std::size_t kConceptsPerField = 30;
constexpr std::size_t kConceptsPerProblem = 10;
constexpr std::uint32_t kGeneralFlatness = 8, kSpecialFlatness = 3;

struct SubjectSeed {
  std::string_view ipc;
  std::array<std::string_view, 6> words;
};

constexpr std::array<SubjectSeed, 24> kSubjects{{
    {"A01B", {"soil", "plough", "furrow", "tractor", "tillage", "seedbed"}},
    {"A23L", {"starch", "flavour", "protein", "beverage", "sweetener", "emulsion"}},
    {"A61B", {"catheter", "patient", "probe", "tissue", "ultrasound", "electrode"}},
    {"A61K", {"tablet", "dosage", "compound", "excipient", "release", "composition"}},
    {"B01D", {"filter", "membrane", "filtrate", "cartridge", "sludge", "adsorbent"}},
    {"B29C", {"mould", "resin", "extruder", "laminate", "cavity", "preform"}},
    {"B60T", {"brake", "wheel", "pedal", "caliper", "slip", "cylinder"}},
    {"B65D", {"container", "lid", "closure", "pouch", "bottle", "seal"}},
    {"C02F", {"effluent", "wastewater", "aeration", "chlorine", "basin", "sediment"}},
    {"C07D", {"pyridine", "substituent", "alkyl", "solvent", "halogen", "synthesis"}},
    {"C08L", {"polymer", "copolymer", "filler", "crosslink", "blend", "rubber"}},
    {"C12N", {"plasmid", "enzyme", "sequence", "host", "promoter", "culture"}},
    {"D06F", {"laundry", "drum", "rinse", "detergent", "spin", "washer"}},
    {"E04B", {"panel", "wall", "beam", "insulation", "facade", "concrete"}},
    {"E21B", {"drill", "borehole", "casing", "wellbore", "mud", "packer"}},
    {"F01N", {"exhaust", "catalyst", "muffler", "soot", "regeneration", "manifold"}},
    {"F16H", {"gear", "transmission", "shaft", "clutch", "planetary", "pinion"}},
    {"F24F", {"airflow", "duct", "humidity", "compressor", "evaporator", "fan"}},
    {"G01N", {"sample", "sensor", "reagent", "assay", "spectrum", "detector"}},
    {"G02B", {"lens", "mirror", "fibre", "wavelength", "grating", "aperture"}},
    {"G06F", {"processor", "memory", "cache", "instruction", "register", "bus"}},
    {"H01L", {"wafer", "transistor", "substrate", "gate", "oxide", "etch"}},
    {"H01M", {"battery", "electrolyte", "anode", "separator", "cell", "cathode"}},
    {"H04L", {"packet", "network", "router", "node", "protocol", "session"}},
}};

/// Makes unique words: every call returns a new one.
class WordMaker {
 public:
  explicit WordMaker(Random& random) : random_(random) {
    for (const SubjectSeed& subject : kSubjects) {
      for (const std::string_view word : subject.words) taken_.emplace(word);
    }
  }

  std::string next() {
    for (;;) {
      std::string word = candidate();
      if (taken_.insert(word).second) return word;
    }
  }
  std::vector<std::string> next(std::size_t count) {
    std::vector<std::string> words;
    while (words.size() < count) words.push_back(next());
    return words;
  }

 private:
  template <std::size_t N>
  std::string_view any(const std::array<std::string_view, N>& of) {
    return of[random_.below(N)];
  }

  std::string candidate() {
    static constexpr std::array<std::string_view, 20> kStart{"b",  "br", "c",  "d", "dr", "f", "g",
                                                             "gl", "k",  "l",  "m", "n",  "p", "pl",
                                                             "r",  "s",  "st", "t", "tr", "v"};
    static constexpr std::array<std::string_view, 5> kVowel{"a", "e", "i", "o", "u"};
    static constexpr std::array<std::string_view, 12> kMiddle{"l", "m",  "n",  "r",  "t",  "d",
                                                              "v", "nd", "rt", "lm", "st", "ct"};
    static constexpr std::array<std::string_view, 10> kEnd{"or",  "ine", "um",  "ate", "ix",
                                                           "oid", "ene", "ant", "ule", "on"};
    std::string word{any(kStart)};
    const std::uint32_t syllables = random_.between(1, 2);
    for (std::uint32_t i = 0; i < syllables; ++i) {
      word += any(kVowel);
      word += any(kMiddle);
    }
    word += any(kEnd);
    return word;
  }

  Random& random_;
  std::unordered_set<std::string> taken_;
};

class VocabularyMaker {
 public:
  explicit VocabularyMaker(Random& random)
      : random_(random), words_(random), terms_(words_.next(kTerms)) {}

  Vocabulary make() {
    std::vector<Subject> subjects;
    for (const SubjectSeed& seed : kSubjects) subjects.push_back(make_subject(seed));
    return {.subjects = std::move(subjects),
            .general = WordList(words_.next(kGeneralWords), kGeneralFlatness)};
  }

 private:
  Subject make_subject(const SubjectSeed& seed) {
    std::vector<std::string> words(seed.words.begin(), seed.words.end());
    while (words.size() < kSubjectWords) words.push_back(words_.next());
    Subject subject{.ipc = std::string(seed.ipc),
                    .words = WordList(std::move(words), kSpecialFlatness),
                    .fields = {}};
    for (std::size_t i = 0; i < kFieldsPerSubject; ++i) {
      subject.fields.push_back(make_field(fmt::format("{} {}/{:02}", seed.ipc, 1 + 4 * i, 2 * i)));
    }
    return subject;
  }

  Field make_field(std::string ipc) {
    Field field{.ipc = std::move(ipc),
                .words = WordList(words_.next(kFieldWords), kSpecialFlatness),
                .concepts = std::vector<Concept>(kConceptsPerField),
                .problems = {}};
    for (Concept& thing : field.concepts) {
      for (std::string& name : thing.names) name = terms_[random_.below(terms_.size())];
    }
    for (std::size_t i = 0; i < kProblemsPerField; ++i) field.problems.push_back(make_problem());
    return field;
  }

  /// Problems of a field share its concepts, each with a choice of its own.
  Problem make_problem() {
    Problem problem;
    while (problem.concepts.size() < kConceptsPerProblem) {
      const std::uint32_t drawn = random_.below(kConceptsPerField);
      if (std::ranges::find(problem.concepts, drawn) == problem.concepts.end()) {
        problem.concepts.push_back(drawn);
      }
    }
    return problem;
  }

  Random& random_;
  WordMaker words_;
  /// Terms that name concepts in any field; a term means different things in different fields.
  std::vector<std::string> terms_;
};

}  // namespace

Vocabulary make_vocabulary(Random& random) { return VocabularyMaker(random).make(); }

}  // namespace quickstart
