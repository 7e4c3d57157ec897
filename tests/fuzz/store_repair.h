// Puts the checksums of the store's files right, so that the parsers behind them are reached.
#ifndef TOMBOLA_TESTS_FUZZ_STORE_REPAIR_H_
#define TOMBOLA_TESTS_FUZZ_STORE_REPAIR_H_

#include <cstdint>
#include <string>

namespace tombola::fuzz {

// A file that is one record: its length and checksum. Too short a one stays as it is.
void RepairRecord(std::string& bytes);

// The first `size` bytes as a record.
void RepairHeader(std::string& bytes, size_t size);

// What RepairLog leaves out: the payload's checksum of every second frame, the header's checksum of
// every third one.
inline constexpr uint8_t kBadPayloads = 1, kBadHeaders = 2;
// Do not stretch a frame's length to where the next one begins.
inline constexpr uint8_t kLengthsAsTheyAre = 4;

// A held log: its header and its frames.
void RepairLog(std::string& bytes, uint8_t leave);

// A file of seen digests: how many there are, if `count`, their checksum and the header's.
void RepairSeen(std::string& bytes, bool count);

}  // namespace tombola::fuzz

#endif  // TOMBOLA_TESTS_FUZZ_STORE_REPAIR_H_
