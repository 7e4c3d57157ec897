// The numbers of rappor as the flags of a command.
#ifndef TOMBOLA_CLI_COMMAND_RAPPOR_FLAGS_H_
#define TOMBOLA_CLI_COMMAND_RAPPOR_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

namespace tombola::cli {

struct RapporFlags {
  std::optional<uint32_t> bits, hashes, cohorts;
  std::optional<double> prr, irr_p, irr_q;

  bool any() const {
    return bits.has_value() || hashes.has_value() || cohorts.has_value() || prr.has_value() ||
           irr_p.has_value() || irr_q.has_value();
  }
};

// *flags outlives the command.
inline void AddRapporFlags(CLI::App& command, RapporFlags* flags) {
  command.add_option("--bits", flags->bits, "rappor: bits of a report, at most 256 [the values]");
  command.add_option("--hashes", flags->hashes, "rappor: bits that a value sets, at most 16 [1]");
  command.add_option("--cohorts", flags->cohorts, "rappor: groups with bits of their own, 1");
  command.add_option("--prr", flags->prr,
                     "rappor: f, how often a bit of the memo is a coin [the best]");
  command.add_option("--irr-p", flags->irr_p,
                     "rappor: how often a report's bit is 1 where the memo's is 0 [the best]");
  command.add_option("--irr-q", flags->irr_q, "rappor: and where it is 1 [the best]");
}

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_RAPPOR_FLAGS_H_
