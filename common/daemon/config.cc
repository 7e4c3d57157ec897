#include "common/daemon/config.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/config/flag_values.h"
#include "common/config/man_page.h"
#include "common/log/log.h"

namespace tombola::daemon {
namespace {

config::ValueKind KindOf(const CLI::Option& option) {
  if (option.get_expected_min() == 0) return config::ValueKind::kSwitch;
  return absl::StartsWith(option.get_type_name(), "INT") ? config::ValueKind::kNumber
                                                         : config::ValueKind::kText;
}

absl::string_view Wanted(config::ValueKind kind) {
  switch (kind) {
    case config::ValueKind::kText:
      return "a text in quotes";
    case config::ValueKind::kNumber:
      return "a whole number";
    case config::ValueKind::kSwitch:
      return "true or false";
  }
  return "";
}

[[noreturn]] void Refuse(const std::string& message) {
  throw CLI::ConfigError(message, CLI::ExitCodes::ConfigError);
}

}  // namespace

// What CLI11 asks for the content of the file; it reports by CLI11's exceptions, which end in
// Config::Parse.
class Config::File : public CLI::Config {
 public:
  explicit File(daemon::Config* owner) : owner_(owner) {}

  std::string to_config(const CLI::App*, bool, bool, std::string) const override {
    return FormatSettings(owner_->Effective());
  }

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const auto name = owner_->app_->get_config_ptr()->as<std::string>();
    const std::string content{std::istreambuf_iterator<char>(input), {}};
    const absl::StatusOr<std::vector<config::Entry>> entries =
        config::ParseConfigFile(content, name);
    if (!entries.ok()) Refuse(std::string(entries.status().message()));
    std::vector<CLI::ConfigItem> items;
    for (const config::Entry& entry : *entries) {
      const std::string where = absl::StrCat(name, ":", entry.line, ": ");
      const CLI::Option* const option = owner_->app_->get_option_no_throw("--" + entry.key);
      if (option == nullptr || !option->get_configurable()) {
        Refuse(absl::StrCat(where, "unknown key ", entry.key));
      }
      if (KindOf(*option) != entry.kind) {
        Refuse(absl::StrCat(where, entry.key, " must be ", Wanted(KindOf(*option))));
      }
      if (!option->empty()) continue;  // a flag overrides it
      owner_->taken_.push_back(entry);
      CLI::ConfigItem item;
      item.name = entry.key;
      item.inputs = {entry.value};
      items.push_back(std::move(item));
    }
    return items;
  }

 private:
  daemon::Config* const owner_;
};

Config::Config(CLI::App* app) : app_(app) {
  app->set_config("--config", "",
                  "File with these flags as `name = value` lines (TOML); flags override it")
      ->type_name("FILE")
      ->configurable(false);
  app->get_config_ptr()->expected(1);
  app->add_flag("--print-config", print_,
                "Prints the effective configuration as such a file, and ends")
      ->configurable(false);
  app->add_flag("--check-config", check_,
                "Checks the configuration and the files it names without starting, says OK or "
                "what is wrong, and ends with 0 or 2")
      ->configurable(false)
      ->excludes("--print-config");
  app->get_help_ptr()->configurable(false);
  if (app->get_version_ptr() != nullptr) app->get_version_ptr()->configurable(false);
  config::TakeWholeNumbersOnly(*app);
  app->config_formatter(std::make_shared<File>(this));
}

std::string Config::Located(const std::string& message) const {
  for (const config::Entry& entry : taken_) {
    const std::string flag = "--" + entry.key;
    const size_t at = message.find(flag);
    if (at == std::string::npos) continue;
    const size_t end = at + flag.size();
    const bool longer =
        end < message.size() && (message[end] == '-' || absl::ascii_isalnum(message[end]));
    if (longer) continue;  // another key
    return absl::StrCat(app_->get_config_ptr()->as<std::string>(), ":", entry.line, ": ",
                        message.substr(0, at), entry.key, message.substr(end));
  }
  return message;
}

absl::Status Config::Parse(int argc, char** argv) {
  taken_.clear();
  if (argc == 2 && absl::string_view(argv[1]) == "--man-page") {
    return absl::CancelledError(config::ManPage(*app_));
  }
  try {
    app_->parse(argc, argv);
    return absl::OkStatus();
  } catch (const CLI::CallForHelp&) {
    return absl::CancelledError(app_->help());
  } catch (const CLI::CallForVersion&) {
    return absl::CancelledError(absl::StrCat(app_->version(), "\n"));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(Located(error.what()));
  }
}

std::optional<int> Config::Read(int argc, char** argv) {
  const absl::Status status = Parse(argc, argv);
  if (absl::IsCancelled(status)) {
    std::cout << status.message();
    return 0;
  }
  if (!status.ok()) {
    std::cerr << app_->get_name() << ": " << status.message() << " (see --help)\n";
    return 2;
  }
  if (!print_) return std::nullopt;
  std::cout << FormatSettings(Effective());
  return 0;
}

std::vector<Setting> Config::Effective() const {
  std::vector<Setting> settings;
  for (const CLI::Option* option : app_->get_options()) {
    if (!option->get_configurable() || option->get_lnames().empty()) continue;
    Setting setting;
    setting.key = option->get_lnames().front();
    const config::ValueKind kind = KindOf(*option);
    std::string value;
    if (option->count() == 0) {
      setting.origin = "default";
      value = kind == config::ValueKind::kSwitch ? "false" : option->get_default_str();
    } else {
      const bool from_file =
          std::any_of(taken_.begin(), taken_.end(),
                      [&](const config::Entry& entry) { return entry.key == setting.key; });
      setting.origin = from_file ? "file" : "flag";
      value = kind == config::ValueKind::kSwitch ? (option->as<bool>() ? "true" : "false")
                                                 : option->results().front();
    }
    setting.value = config::FormatValue(kind, value);
    settings.push_back(std::move(setting));
  }
  return settings;
}

std::string FormatSettings(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    absl::StrAppend(&text, setting.key, " = ", setting.value, "  # ", setting.origin, "\n");
  }
  return text;
}

std::vector<std::string> Differences(const std::vector<Setting>& one,
                                     const std::vector<Setting>& other) {
  std::vector<std::string> keys;
  for (const Setting& a : one) {
    for (const Setting& b : other) {
      if (a.key == b.key && a.value != b.value) keys.push_back(a.key);
    }
  }
  return keys;
}

int SayChecked(absl::string_view program, const absl::Status& status) {
  if (status.ok()) {
    std::cout << "OK\n";
    return 0;
  }
  std::cerr << program << ": " << status.message() << "\n";
  return 2;
}

bool SayWhatNeedsRestart(const std::vector<Setting>& running, Config& fresh, int argc,
                         char** argv) {
  const absl::Status status = fresh.Parse(argc, argv);
  if (!status.ok()) {
    log::Warning("config_refused", {{"cause", status.message()}});
    return false;
  }
  std::vector<std::string> keys = Differences(running, fresh.Effective());
  keys.erase(std::remove(keys.begin(), keys.end(), "log-level"), keys.end());
  if (!keys.empty()) log::Warning("needs_restart", {{"keys", absl::StrJoin(keys, " ")}});
  return true;
}

}  // namespace tombola::daemon
