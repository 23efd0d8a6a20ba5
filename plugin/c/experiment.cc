#include "base/text_file.h"
#include "c/handles.h"
#include "prescope/actions.h"
#include "prescope/dashboard.h"
#include "prescope/report.h"
#include "statistics/group_sequential.h"
#include "store/sessions/observation_schema.h"

/// Receives what a host tells of its index.
struct prescope_found {
  const prescope::JudgedDocnos* judged = nullptr;
  std::vector<prescope::Resolution> resolutions{};
};

namespace prescope::c {

namespace {

std::string text_or(const char* text, const char* otherwise) {
  return text != nullptr ? text : otherwise;
}

/// Passes the library's sentences on to the host; empty if the host takes none.
LogWarning warning_of(const prescope_experiment_options& options) {
  if (options.on_warning == nullptr) return {};
  return [call = options.on_warning, context = options.warning_context](
             const std::string& sentence) { call(context, sentence.c_str()); };
}

DashboardOptions dashboard_options_of(const prescope_experiment_options& options,
                                      std::string& url) {
  constexpr std::int32_t kLastPort = 65'535;
  if (options.dashboard_port < 0 || options.dashboard_port > kLastPort) {
    throw usage_error("dashboard_port {}; expected at most {}, 0 for any free port, -1 for none",
                      options.dashboard_port, kLastPort);
  }
  DashboardOptions result{.port = static_cast<std::uint16_t>(options.dashboard_port),
                          .token = text_or(options.dashboard_token, ""),
                          .on_listening = [&url](const std::string& given) { url = given; }};
  if (options.dashboard_address != nullptr) result.address = options.dashboard_address;
  if (const LogWarning warn = warning_of(options)) {
    result.on_warning = [warn](std::string_view sentence) { warn(std::string(sentence)); };
  }
  return result;
}

ExperimentOptions experiment_options_of(const prescope_experiment_options& options) {
  ExperimentOptions result{
      .name = &required(options.name, "name"),
      .mode = static_cast<Mode>(position_of("mode", options.mode, kModeWords)),
      .primary = text_or(options.primary, ""),
      .alpha = options.alpha,
      .recording = {.capture_depth = options.capture_depth},
      .shadow = {.threads = options.shadow_threads,
                 .queue = options.shadow_queue,
                 .sampling = options.shadow_sampling,
                 .latency = static_cast<ShadowOptions::Latency>(
                     position_of("shadow_latency", options.shadow_latency, kShadowLatencyWords)),
                 .overlap = {.sampling = options.shadow_overlap_sampling,
                             .depth = options.shadow_overlap_depth,
                             .persistence = options.shadow_overlap_persistence}},
      .split = {.salt = text_or(options.salt, "")}};
  if (options.num_arms != 0) required(options.arms, "arms");
  for (std::size_t i = 0; i < options.num_arms; ++i) {
    result.arms.emplace_back(&required(options.arms[i], fmt::format("arms[{}]", i)));
  }
  if (options.shares != nullptr) {
    for (const std::string& item : split(options.shares, ',')) {
      add_share(result.split.shares, trimmed(item));
    }
  }
  if (options.measures != nullptr) {
    for (const Measure& measure : parse_measures(options.measures)) {
      result.measures.push_back(measure.name());
    }
  }
  return result;
}

TestOptions test_options_of(const prescope_experiment_options& options) {
  TestOptions test{.plan = {.topics = options.test_topics, .live_alpha = options.test_live_alpha},
                   .same_within = options.test_same_within};
  test.plan.spending =
      static_cast<Spending>(position_of("test_spending", options.test_spending, kSpendingNames));
  if (options.test_looks != nullptr) {
    test.plan.looks.clear();
    for (const std::string& item : split(options.test_looks, ',')) {
      const auto share = whole_number<double>(trimmed(item));
      if (!share) throw usage_error("test_looks: found '{}', expected shares", item);
      test.plan.looks.push_back(*share);
    }
  }
  if (options.test_guardrails != nullptr) {
    for (const std::string& item : split(options.test_guardrails, ',')) {
      test.guardrails.push_back(read_guardrail(trimmed(item)));
    }
  }
  return test;
}

/// Adds what a verdict sets off.
void add_actions(const prescope_experiment_options& given, ExperimentOptions& options) {
  ActionOptions doing{.command = text_or(given.actions_command, ""),
                      .url = text_or(given.actions_url, ""),
                      .journal = text_or(given.actions_journal, ""),
                      .on_warning = warning_of(given)};
  const bool has_action = !doing.command.empty() || !doing.url.empty();
  if (!has_action && (given.actions_on != nullptr || given.actions_journal != nullptr)) {
    throw usage_error("actions_command or actions_url is missing; nothing would be done");
  }
  if (!has_action) return;
  if (given.actions_on != nullptr) {
    doing.on.clear();
    for (const std::string& kind : split(given.actions_on, ',')) {
      doing.on.push_back(parse_event_kind(kind));
    }
  }
  options.services.push_back(actions(std::move(doing)));
}

std::unique_ptr<prescope_experiment> opened(const Qrels& qrels,
                                            const prescope_experiment_options& given) {
  auto handle = std::make_unique<prescope_experiment>();
  ExperimentOptions options = experiment_options_of(given);
  options.slices = slices_of(given.slices, given.slice_by, qrels);
  options.test = test_options_of(given);
  if (given.store != nullptr) {
    handle->store = log_to_store(given.store, {.on_warning = warning_of(given)});
    options.logs.push_back(handle->store);
  }
  if (given.dashboard_port != -1) {
    options.services.push_back(dashboard(dashboard_options_of(given, handle->dashboard_url)));
  }
  add_actions(given, options);
  handle->experiment = std::make_unique<Experiment>(qrels, std::move(options));
  return handle;
}

void change_arm(Experiment& experiment, std::string_view name, const char* change) {
  constexpr std::array<std::string_view, 5> kChanges = {"add", "pause", "resume", "restart",
                                                        "remove"};
  switch (position_of("change", change, kChanges)) {
    case 0:
      experiment.add_arm(name);
      break;
    case 1:
      experiment.pause_arm(experiment.arm(name));
      break;
    case 2:
      experiment.resume_arm(experiment.arm(name));
      break;
    case 3:
      experiment.restart_arm(experiment.arm(name));
      break;
    default:
      experiment.remove_arm(experiment.arm(name));
      break;
  }
}

}  // namespace

}  // namespace prescope::c

using namespace prescope;
using namespace prescope::c;

prescope_code prescope_experiment_open(const prescope_qrels* qrels,
                                       const prescope_experiment_options* options,
                                       prescope_experiment** experiment, prescope_error* error) {
  return guarded_making(experiment, "experiment", error, [&] {
    const auto given =
        versioned(options, PRESCOPE_EXPERIMENT_OPTIONS_INIT, "prescope_experiment_options");
    return opened(required(qrels, "qrels").judged->qrels, given).release();
  });
}

void prescope_experiment_close(prescope_experiment* experiment) { delete experiment; }

const char* prescope_dashboard_url(const prescope_experiment* experiment) {
  return experiment == nullptr ? "" : experiment->dashboard_url.c_str();
}

prescope_code prescope_arm(const prescope_experiment* experiment, prescope_text name, uint32_t* arm,
                           prescope_error* error) {
  return guarded(error, [&] {
    required(arm, "arm") =
        required(experiment, "experiment").experiment->arm(view_of(name)).value();
  });
}

uint32_t prescope_arm_for(const prescope_experiment* experiment, prescope_text unit) {
  return experiment == nullptr ? 0 : experiment->experiment->arm_for(view_of(unit)).value();
}

prescope_code prescope_change_arm(prescope_experiment* experiment, prescope_text arm,
                                  const char* change, prescope_error* error) {
  return guarded(error, [&] {
    change_arm(*required(experiment, "experiment").experiment, view_of(arm), change);
  });
}

size_t prescope_num_judged(const prescope_experiment* experiment) {
  return experiment == nullptr ? 0 : experiment->experiment->judged().num_keys();
}

prescope_text prescope_judged_docno(const prescope_experiment* experiment, size_t i) {
  if (i >= prescope_num_judged(experiment)) return text_of("");
  return text_of(experiment->experiment->judged().key(static_cast<std::uint32_t>(i)));
}

int prescope_found_add(prescope_found* found, prescope_text docno, uint32_t docid) {
  if (found == nullptr) return 0;
  DocnoBuffer buffer;
  const std::uint32_t key =
      found->judged->find(found->judged->docnos().key(view_of(docno), buffer));
  if (key == JudgedDocnos::kNotJudged) return 0;
  found->resolutions.push_back({key, DocId(docid)});
  return 1;
}

prescope_code prescope_index_open(prescope_experiment* experiment, const prescope_index* before,
                                  uint64_t documents,
                                  int (*look_up)(void* context, prescope_found* found),
                                  void* context, prescope_index** index, prescope_error* error) {
  return guarded_making(index, "index", error, [&] {
    Experiment& live = *required(experiment, "experiment").experiment;
    required(look_up, "look_up");
    prescope_found found{.judged = &live.judged()};
    if (const int failed = look_up(context, &found); failed != 0) {
      throw engine_error("look_up returned {}; expected 0", failed);
    }
    const std::uint64_t generation =
        live.next_generation(before == nullptr ? 0 : before->resolved->generation());
    return new prescope_index{std::make_shared<const ResolvedQrels>(
        *found.judged, std::move(found.resolutions), generation, documents)};
  });
}

prescope_code prescope_index_set_arm(prescope_experiment* experiment, uint32_t arm,
                                     const prescope_index* index, prescope_error* error) {
  return guarded(error, [&] {
    required(experiment, "experiment")
        .experiment->set_resolved(ArmIndex(arm), required(index, "index").resolved);
  });
}

void prescope_index_free(prescope_index* index) { delete index; }

prescope_code prescope_drain_shadow(prescope_experiment* experiment, prescope_error* error) {
  return guarded(error, [&] { required(experiment, "experiment").experiment->drain_shadow(); });
}

prescope_code prescope_flush(prescope_experiment* experiment, prescope_error* error) {
  return guarded(error, [&] {
    required(experiment, "experiment").experiment->flush();
    if (experiment->store == nullptr || experiment->store->flush()) return;
    throw io_error("the store cannot be written; what was observed waits in memory");
  });
}

prescope_code prescope_summary(prescope_experiment* experiment, const char* format, char** text,
                               prescope_error* error) {
  return guarded_making(text, "text", error, [&] {
    constexpr std::array<std::string_view, 2> kFormats = {"json", "table"};
    const bool is_table = position_of("format", format, kFormats) != 0;
    const auto summary = required(experiment, "experiment").experiment->summary();
    return allocated(is_table ? to_table(*summary) : to_json(*summary));
  });
}
