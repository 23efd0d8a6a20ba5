#include "cli/commands/commands.h"
#include "cli/options/terminal.h"

namespace prescope::cli {

namespace {

enum class Shell { kBash, kZsh, kFish };

struct CompletionRequest {
  const Command* program = nullptr;
  Shell shell{};
};

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

/// `text` in single quotes, in which `quote` stands for a quote.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) c == '\'' ? out.append(quote) : out.append(1, c);
  return out + "'";
}

std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// The names of a group's commands, or the words that an argument takes.
std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words;
  for (const Command* each : command.commands()) words.push_back(each->get_name());
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) continue;
    for (const std::string& word : command.offered_words(*option)) words.push_back(word);
  }
  return words;
}

/// The program and all commands, each before its own.
std::vector<const Command*> all_commands(const Command& program) {
  std::vector<const Command*> all{&program};
  for (const Command* each : program.commands()) {
    for (const Command* inner : all_commands(*each)) all.push_back(inner);
  }
  return all;
}

// Bash: the words of an option are looked up by the command and the option before the cursor.

constexpr std::string_view kBash =
    R"(# Completion of prescope for bash, made by 'prescope completion bash'.
_prescope() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command=prescope previous= options= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command $word" in
      {}) command+=" $word" ;;
    esac
    [ "$word" = = ] || previous=$word
  done
  [ "$current" != = ] || current=
  case "$command $previous" in
{}    {}) ;;  # a file, or anything
    *)
      case "$command" in
{}      esac
      [[ $current != -* ]] || words=$options
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _prescope prescope
)";

std::string bash_completion(const Command& program) {
  std::vector<std::string> paths, any_value;
  std::string fixed, by_command;
  for (const Command* command : all_commands(program)) {
    if (command != &program) paths.push_back("'" + command->path() + "'");
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) {
      const std::string words = joined(command->offered_words(*option));
      for (const std::string& name : names_of(*option)) {
        options.push_back(name);
        const std::string pattern = fmt::format("'{} {}'", command->path(), name);
        if (takes_value(*option) && words.empty()) any_value.push_back(pattern);
        if (takes_value(*option) && !words.empty()) {
          fixed += fmt::format("    {}) words='{}' ;;\n", pattern, words);
        }
      }
    }
    by_command += fmt::format("        '{}') words='{}' options='{}' ;;\n", command->path(),
                              joined(words_of(*command)), joined(options));
  }
  return fmt::format(kBash, joined(paths, " | "), fixed, joined(any_value, " | "), by_command);
}

// Zsh: a function for each command calls _arguments, that of a group the function of the command.

constexpr std::string_view kZshGroup = R"({}() {{
  local state line curcontext=$curcontext
  local -a commands=({})
  _arguments -C {}'1: :->command' '*:: :->arguments'
  case $state in
    command) _describe command commands ;;
    arguments)
      case $line[1] in
{}      esac
      ;;
  esac
}}
)";

std::string zsh_quoted(std::string_view text) { return quoted(text, R"('\'')"); }

std::string zsh_function(const Command& command) {
  std::string name = "_" + command.path();
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string zsh_options(const Command& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> words = command.offered_words(*option);
    const std::string value =
        fmt::format(":{}:{}", escaped(option->get_type_name(), ":"),
                    words.empty() ? "_files" : fmt::format("({})", joined(words)));
    for (const std::string& each : names_of(*option)) {
      const std::string help = escaped(option->get_description(), "[]\\");
      const std::string list = option->get_expected_max() > 1 ? "*" : "";
      out += zsh_quoted(
                 fmt::format("{}{}[{}]{}", list, each, help, takes_value(*option) ? value : "")) +
             ' ';
    }
  }
  return out;
}

std::string zsh_completion(const Command& command) {
  const std::string name = zsh_function(command), options = zsh_options(command);
  if (command.commands().empty()) {
    const std::vector<std::string> words = words_of(command);
    return fmt::format(
        "{}() {{\n  _arguments {}{}\n}}\n", name, options,
        words.empty() ? "'*:file:_files'" : fmt::format("'*:word:({})'", joined(words)));
  }
  std::string commands, calls, functions;
  for (const Command* each : command.commands()) {
    commands += zsh_quoted(each->get_name() + ':' + each->get_description()) + ' ';
    calls += fmt::format("        {}) {} ;;\n", each->get_name(), zsh_function(*each));
    functions += zsh_completion(*each);
  }
  return functions + fmt::format(kZshGroup, name, commands, options, calls);
}

// Fish: a line for each option, with the condition under which it is offered.

std::string fish_quoted(std::string_view text) { return quoted(escaped(text, "\\"), "\\'"); }

/// Lines that are used while this command, and none of its own commands, is on the command line.
std::string fish_completion(const Command& command) {
  std::vector<std::string> conditions;
  for (const Command* each = &command; each->get_parent() != nullptr;
       each = dynamic_cast<const Command*>(each->get_parent())) {
    conditions.insert(conditions.begin(), "__fish_seen_subcommand_from " + each->get_name());
  }
  if (!command.commands().empty()) {
    conditions.push_back("not __fish_seen_subcommand_from " + joined(words_of(command)));
  }
  const std::string start =
      fmt::format("complete -c prescope -n '{}'", joined(conditions, "; and "));
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    const std::string words = joined(command.offered_words(*option));
    if (!option->nonpositional()) {
      if (!words.empty()) out += fmt::format("{} -f -a '{}'\n", start, words);
      continue;
    }
    out += start;
    for (const std::string& name : option->get_snames()) out += " -s " + name;
    for (const std::string& name : option->get_lnames()) out += " -l " + name;
    if (takes_value(*option)) out += words.empty() ? " -r -F" : fmt::format(" -x -a '{}'", words);
    out += fmt::format(" -d {}\n", fish_quoted(option->get_description()));
  }
  for (const Command* each : command.commands()) {
    out += fmt::format("{} -f -a {} -d {}\n", start, each->get_name(),
                       fish_quoted(each->get_description()));
    out += fish_completion(*each);
  }
  return out;
}

void print_completion(const CompletionRequest& request) {
  switch (request.shell) {
    case Shell::kBash:
      return print_result(bash_completion(*request.program));
    case Shell::kZsh:
      return print_result(
          "#compdef prescope\n# Completion of prescope for zsh, made by 'prescope completion "
          "zsh'.\n" +
          zsh_completion(*request.program) +
          "if [ \"$funcstack[1]\" = _prescope ]; then\n  _prescope \"$@\"\nelse\n  compdef "
          "_prescope prescope\nfi\n");
    case Shell::kFish:
      return print_result(
          "# Completion of prescope for fish, made by 'prescope completion fish'.\n" +
          fish_completion(*request.program));
  }
}

}  // namespace

void add_completion_command(Command& program) {
  const auto [command, request] = program.add_command(
      "completion", "Print a script that completes commands and options in a shell.",
      print_completion);
  request.program = &program;
  command
      .add_choice("SHELL", request.shell,
                  {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}}, "NAME",
                  "bash, zsh or fish")
      ->required();
  command.footer(
      "The Debian package and 'cmake --install' install the scripts.\n\n"
      "Examples:\n"
      "  prescope completion bash > ~/.local/share/bash-completion/completions/prescope\n"
      "  prescope completion zsh > ~/.zfunc/_prescope\n"
      "  prescope completion fish > ~/.config/fish/completions/prescope.fish");
}

}  // namespace prescope::cli
