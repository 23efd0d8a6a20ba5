#include "cli/commands/commands.h"
#include "cli/options/terminal.h"

namespace prescope::cli {

namespace {

constexpr std::string_view kBash =
    R"(# Completion of prescope for bash, made by 'prescope completion bash'.
_prescope() {
  local IFS=$'\n' program="${COMP_WORDS[0]}"
  COMPREPLY=($("$program" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null | cut -f 1))
}
complete -o default -F _prescope prescope
)";

constexpr std::string_view kZsh = R"(#compdef prescope
# Completion of prescope for zsh, made by 'prescope completion zsh'.
_prescope() {
  local -a found=("${(@f)$("$words[1]" __complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [ -z "$found" ]; then
    _files
  else
    found=("${(@)found//:/\\:}")
    found=("${(@)found/$'\t'/:}")
    _describe prescope found
  fi
}
if [ "$funcstack[1]" = _prescope ]; then
  _prescope "$@"
else
  compdef _prescope prescope
fi
)";

constexpr std::string_view kFish =
    R"(# Completion of prescope for fish, made by 'prescope completion fish'.
function __prescope_complete
  set -l words (commandline -opc)
  set -l found ($words[1] __complete $words[2..] (commandline -ct) 2> /dev/null)
  if test -n "$found"
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c prescope -f -a '(__prescope_complete)'
)";

struct CompletionRequest {
  std::string_view script;
};

void print_completion(const CompletionRequest& request) {
  print_result(std::string(request.script));
}

/// The command line up to the word that is completed.
struct Place {
  const Command* command;
  const CLI::Option* waits = nullptr;  ///< an option whose value comes next
};

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

void pass(Place& place, const std::string& word) {
  const bool is_value = std::exchange(place.waits, nullptr) != nullptr;
  if (is_value) return;
  const CLI::Option* option = place.command->get_option_no_throw(word);
  if (word.starts_with('-') && takes_value(option)) place.waits = option;
  for (const Command* each : place.command->commands()) {
    if (each->check_name(word)) place.command = each;
  }
}

/// The words of a command at this place, each with its description.
std::vector<std::pair<std::string, std::string>> offers(const Place& place, bool wants_options) {
  std::vector<std::pair<std::string, std::string>> offers;
  const auto add_words = [&](const CLI::Option& option) {
    for (const std::string& word : place.command->offered_words(option)) {
      offers.emplace_back(word, "");
    }
  };
  if (place.waits != nullptr) {
    add_words(*place.waits);
    return offers;
  }
  for (const Command* each : place.command->commands()) {
    offers.emplace_back(each->get_name(), each->get_description());
  }
  for (const CLI::Option* option : place.command->get_options()) {
    const std::string& about = option->get_description();
    if (!option->nonpositional()) add_words(*option);
    if (!wants_options) continue;
    for (const std::string& name : option->get_snames()) offers.emplace_back("-" + name, about);
    for (const std::string& name : option->get_lnames()) offers.emplace_back("--" + name, about);
  }
  return offers;
}

}  // namespace

void print_completions(const Command& program, std::vector<std::string> words) {
  // Bash makes a word of the = in --from=trec; other shells do not.
  std::string last = words.empty() || words.back() == "=" ? "" : words.back();
  if (!words.empty()) words.pop_back();
  std::erase(words, "=");
  std::string begin;
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != last.npos) {
    begin = last.substr(0, equals + 1);
    words.push_back(last.substr(0, equals));
    last.erase(0, equals + 1);
  }
  Place place{&program};
  for (const std::string& word : words) pass(place, word);
  for (const auto& [word, about] : offers(place, last.starts_with('-'))) {
    if (word.starts_with(last)) print_result(fmt::format("{}{}\t{}\n", begin, word, about));
  }
}

void add_completion_command(Command& program) {
  const auto [command, request] = program.add_command(
      "completion", "Print a script that completes commands and options in a shell.",
      print_completion);
  command
      .add_choice("SHELL", request.script, {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}},
                  "NAME", "bash, zsh or fish")
      ->required();
  command.footer(
      "The Debian package and 'cmake --install' install the scripts.\n\n"
      "Examples:\n"
      "  prescope completion bash > ~/.local/share/bash-completion/completions/prescope\n"
      "  prescope completion zsh > ~/.zfunc/_prescope\n"
      "  prescope completion fish > ~/.config/fish/completions/prescope.fish");
}

}  // namespace prescope::cli
