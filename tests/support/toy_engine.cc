// A minimal engine module: documents in a text file, every document an answer to every query, in
// the order of the file or backwards. Rankings are therefore known by counting.
//
// An arm may also misbehave: `fail_on` a query text, `observe = no`, or `wait_us` in each search.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

#include "prescope/engine.h"
#include "prescope/error.h"

namespace {

using namespace prescope;
namespace fs = std::filesystem;

constexpr const char* kFile = "toy-documents.tsv";

class Builder final : public IndexBuilder {
 public:
  explicit Builder(fs::path folder) : folder_(std::move(folder)) {}

  void add(const PatentDocument& document) override {
    lines_ += document.docno.text() + '\t' + document.title + '\t';
    for (const Docno& member : document.family) lines_ += member.text() + ' ';
    lines_ += '\n';
    ++count_;
  }
  std::uint64_t finish() override {
    fs::create_directories(folder_);
    std::ofstream(folder_ / kFile) << lines_;
    return count_;
  }

 private:
  fs::path folder_;
  std::string lines_;
  std::uint64_t count_ = 0;
};

struct ToyArm {
  bool backwards = false, observe = true;
  std::string fail_on;
  std::chrono::microseconds wait{};
};

class Searcher final : public ArmSearcher {
 public:
  Searcher(Experiment& experiment, const ArmConfig& config, ToyArm arm, std::vector<Docno> docnos)
      : experiment_(experiment),
        name_(config.id.text()),
        index_(experiment.arm(name_)),
        arm_(std::move(arm)),
        docnos_(std::move(docnos)) {
    if (arm_.backwards) std::reverse(docnos_.begin(), docnos_.end());
  }

  std::uint32_t search(const TopicQuery& query, std::vector<Hit>* hits) override {
    log(query.text);
    std::this_thread::sleep_for(arm_.wait);
    if (query.text == arm_.fail_on) throw std::runtime_error("the toy broke");
    const DocnoSet excluded(query.exclude, experiment_.judged().docnos());
    std::vector<std::string_view> served;
    for (const Docno& docno : docnos_) {
      if (served.size() < query.depth && !excluded.contains(docno.text())) {
        served.push_back(docno.text());
      }
    }
    if (arm_.observe) {
      experiment_.observe({.arm = index_,
                           .kind = HitKind::kDocnos,
                           .docnos = served,
                           .requested_depth = query.depth});
    }
    if (hits != nullptr) {
      hits->clear();
      for (const std::string_view docno : served) hits->push_back({Docno(docno), 1.0F});
    }
    return static_cast<std::uint32_t>(served.size());
  }

 private:
  void log(std::string_view text) const {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (const char* path = std::getenv("TOY_LOG")) {
      std::ofstream(path, std::ios::app) << text << ' ' << name_ << '\n';
    }
  }

  Experiment& experiment_;
  std::string name_;
  ArmIndex index_;
  ToyArm arm_;
  std::vector<Docno> docnos_;
};

class Index final : public SearchIndex {
 public:
  Index(const fs::path& file, Experiment& experiment) : experiment_(experiment) {
    std::ifstream in(file);
    for (std::string docno, title, family; std::getline(in, docno, '\t');) {
      std::getline(in, title, '\t');
      std::getline(in, family);
      PatentDocument document;
      document.docno = Docno(docno);
      document.title = title;
      if (!family.empty()) {
        document.family.emplace_back(family.substr(0, family.find(' ')));
      }
      documents_.push_back(std::move(document));
    }
  }

  [[nodiscard]] std::uint64_t num_documents() const override { return documents_.size(); }

  [[nodiscard]] std::optional<PatentDocument> document(const Docno& docno) const override {
    const DocnoNormalizer& docnos = experiment_.judged().docnos();
    for (const PatentDocument& document : documents_) {
      if (docnos.key(document.docno) == docnos.key(docno)) return document;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& config) override {
    ToyArm arm;
    for (const ArmSetting& setting : config.settings) {
      static constexpr std::string_view kKeys[] = {"order", "fail_on", "observe", "wait_us"};
      if (setting.key == "order") {
        arm.backwards = setting.value == "backward";
      } else if (setting.key == "fail_on") {
        arm.fail_on = setting.value;
      } else if (setting.key == "wait_us") {
        arm.wait = std::chrono::microseconds(std::stoi(setting.value));
      } else if (setting.key == "observe") {
        arm.observe = setting.value != "no";
      } else {
        throw Error(ErrorCode::kUsage,
                    setting.place + ": " + unknown_name_message("arm setting", setting.key, kKeys));
      }
    }
    std::vector<Docno> docnos;
    for (const PatentDocument& document : documents_) docnos.push_back(document.docno);
    return std::make_unique<Searcher>(experiment_, config, std::move(arm), std::move(docnos));
  }

 private:
  Experiment& experiment_;
  std::vector<PatentDocument> documents_;
};

class Toy final : public Engine {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "toy"; }
  [[nodiscard]] std::string_view version() const noexcept override { return "1"; }
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override {
    static constexpr std::string_view kSettings[] = {"order  forward or backward, default forward"};
    return kSettings;
  }
  [[nodiscard]] std::unique_ptr<IndexBuilder> create(const fs::path& folder) override {
    return std::make_unique<Builder>(folder);
  }
  [[nodiscard]] std::unique_ptr<SearchIndex> open(const std::string& folder,
                                                  Experiment& experiment) override {
    const fs::path file = fs::path(folder) / kFile;
    if (!fs::exists(file)) {
      throw Error(ErrorCode::kIo, folder + ": no toy index there");
    }
    return std::make_unique<Index>(file, experiment);
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) prescope::Engine* prescope_engine(
    std::uint32_t api_version) {
  static Toy toy;
  return api_version == prescope::kEngineApiVersion ? &toy : nullptr;
}
