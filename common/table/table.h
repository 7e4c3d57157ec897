// One flat domain of cells that a mechanism counts: how a device's reports of a cell come about,
// what they look like, and how the counts do that follow from them.
#ifndef TOMBOLA_COMMON_TABLE_TABLE_H_
#define TOMBOLA_COMMON_TABLE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/table/bloom.h"
#include "common/table/count_model.h"
#include "common/table/filling.h"
#include "common/table/hashing.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// What a report is; each is a struct of its own.
enum class Layout {
  kValue,   // ValueReport: names a cell
  kSigned,  // SignedReport: names a cell, or speaks against it
  kPlane,   // PlaneReport: a function and a bucket of Hashing
  kAffine,  // AffineReport
  kString,  // strings::StringReport: a level, a public function and a bucket
  kBits,    // a byte and the bits of Bloom
};

// Cells are 0 to domain_size() - 1. Encoders, aggregators, estimators and simulations ask this and
// nothing else of a mechanism. Immutable and thread-safe, given a RandomSource for each thread.
class Table {
 public:
  virtual ~Table() = default;

  virtual int64_t domain_size() const = 0;
  // How many cells a device fills. One, unless reports name cells.
  virtual Filling filling() const { return {}; }
  virtual Layout layout() const = 0;
  // Whether there are so many cells that only those that occur are counted.
  bool sparse() const { return layout() == Layout::kString; }
  // The length of a plaintext report, the same for every cell.
  size_t report_bytes() const;
  // How reports hash; null where they do not.
  virtual const Hashing* hashing() const { return nullptr; }
  // Which bits a cell sets; null unless reports are bits. The count of a cell is then that of the
  // ones on all its bits, and the count model is that of one bit.
  virtual const Bloom* bloom() const { return nullptr; }

  // The following two are what a device draws where reports name cells: the cell that its own
  // report names, and the reports beside it.
  //
  // `cell` (< domain_size()), randomised.
  virtual uint32_t Randomise(uint64_t cell, RandomSource&) const {
    return static_cast<uint32_t>(cell);
  }
  // Replaces *noise by one submission's noise, in no particular order; nothing of it is against a
  // cell unless the layout is kSigned. What is drawn does not depend on what the device holds.
  virtual void DrawNoise(RandomSource&, std::vector<SignedReport>* noise) const { noise->clear(); }

  // Writes a report drawn uniformly from all reports; report.size() == report_bytes().
  virtual void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const = 0;

  // How the count of a cell comes about. Estimates, their errors and simulations follow from it.
  virtual CountModel count_model() const = 0;
  // The same where cells have more or less noise, and differ in nothing else: of every run of cells
  // that are alike, in order, up to domain_size(). count_model() is that of the first.
  virtual std::vector<ModelledCells> count_models() const {
    return {{.end = domain_size(), .model = count_model()}};
  }
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_TABLE_H_
