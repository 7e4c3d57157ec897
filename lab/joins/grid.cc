#include "lab/joins/grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/simulation/distributions.h"
#include "collector/postprocess/postprocess.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

constexpr double kLineAlpha = 0.7, kPlaneAlpha = 0.03;

Places GridOf(const JoinSetting& setting, double noise) {
  Places cells = {1, 1, 1};
  for (int i = 0; i < setting.asked; ++i) {
    cells[i] = GridCells(setting.asked, noise, setting.places[i]);
  }
  return cells;
}

double Product(const Places& cells) { return static_cast<double>(cells[0]) * cells[1] * cells[2]; }

}  // namespace

int32_t GridCells(int attributes, double noise, int32_t places) {
  double cells = 0;
  if (attributes == 1) {
    cells = std::cbrt(2 * kLineAlpha * kLineAlpha / noise);
  } else if (attributes == 2) {
    cells = std::sqrt(4 * kPlaneAlpha / std::sqrt(noise));
  } else {
    cells = std::pow(64 * kPlaneAlpha * kPlaneAlpha / (3 * noise), 0.2);
  }
  return std::clamp(static_cast<int32_t>(std::lround(std::min(cells, 1e6))), 2, places);
}

double PublishedGridNoise(double epsilon, double reports) {
  return 4 * std::exp(epsilon) / (std::pow(std::expm1(epsilon), 2) * reports);
}

std::vector<GridPart> GridPartsOf(const Places& places, const Places& cells,
                                  const JoinQuery& query) {
  std::vector<GridPart> parts = {{}};
  for (int i = 0; i < query.asked; ++i) {
    std::vector<GridPart> product;
    for (const GridPart& part : parts) {
      for (const WeightedNode& cell : OverlappedCells(places[i], cells[i], query.box[i])) {
        GridPart& both = product.emplace_back(part);
        both.cell[i] = cell.node;
        both.weight *= cell.weight;
        both.box[i] = GridCell(places[i], cells[i], cell.node);
      }
    }
    parts = std::move(product);
  }
  return parts;
}

JoinGrid::JoinGrid(const JoinSetting& setting, double noise, const OracleFor& oracle)
    : JoinMethod(setting),
      cells_(GridOf(setting, noise)),
      oracle_(oracle(2 * Product(cells_) + 1)) {}

std::vector<JoinAnswer> JoinGrid::Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                                      absl::Span<const AnswerLaw>, Generator& noise) const {
  const CellTable<int32_t>& picked = trial.picked(setting().tau);
  // Both ends of every cell, then the empty place.
  std::vector<int64_t> counts(2 * static_cast<size_t>(Product(cells_)) + 1, 0);
  const auto item = [&](const Places& cell, int end) {
    return 2 * ((static_cast<size_t>(cell[0]) * cells_[1] + cell[1]) * cells_[2] + cell[2]) + end;
  };
  JoinQuery everything = {.asked = setting().asked};
  for (int i = 0; i < setting().asked; ++i) everything.box[i] = {0, setting().places[i]};
  counts.back() = setting().users;
  for (const GridPart& part : GridPartsOf(setting().places, cells_, everything)) {
    for (int end : {0, 1}) {
      counts[item(part.cell, end)] = picked.Sum(end, part.box);
      counts.back() -= counts[item(part.cell, end)];
    }
  }
  // Numbers that are finite have a projection.
  const std::vector<double> shares = *collector::Pop(EstimateShares(oracle_, counts, noise));
  const double all = static_cast<double>(setting().users) * static_cast<double>(setting().tau);
  std::vector<JoinAnswer> answers;
  for (const JoinQuery& query : queries) {
    double ends[2] = {0, 0};
    for (const GridPart& part : GridPartsOf(setting().places, cells_, query)) {
      for (int end : {0, 1}) ends[end] += all * part.weight * shares[item(part.cell, end)];
    }
    answers.push_back(
        {.count = ends[0] + ends[1], .sum = kLeastAmount * ends[0] + kMostAmount * ends[1]});
  }
  return answers;
}

AnswerLaw JoinGrid::LawOf(JoinFacts& facts, const JoinQuery& query) const {
  const CellTable<double>& picked = facts.picked(setting().tau);
  const double users = static_cast<double>(setting().users);
  const double all = users * static_cast<double>(setting().tau);
  AnswerLaw law;
  for (const GridPart& part : GridPartsOf(setting().places, cells_, query)) {
    for (int end : {0, 1}) {
      const double amount = end == 0 ? kLeastAmount : kMostAmount;
      const double share = picked.Sum(end, part.box) / users;
      const double variance = part.weight * part.weight * oracle_.Variance(share, users);
      law.count += all * part.weight * share;
      law.sum += all * part.weight * share * amount;
      law.count_variance += all * all * variance;
      law.sum_variance += all * all * variance * amount * amount;
      law.covariance += all * all * variance * amount;
    }
  }
  return law;
}

}  // namespace tombola::lab
