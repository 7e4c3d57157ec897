#include "common/accounting/fourier.h"

#include <cmath>
#include <cstddef>
#include <random>

#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

ComplexPoints RandomPoints(size_t points, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  ComplexPoints at{std::vector<double>(points), std::vector<double>(points)};
  for (size_t i = 0; i < points; ++i) {
    at.real[i] = uniform(random);
    at.imaginary[i] = uniform(random);
  }
  return at;
}

double Distance(const ComplexPoints& a, const ComplexPoints& b) {
  double squares = 0;
  for (size_t i = 0; i < a.real.size(); ++i) {
    squares += std::pow(a.real[i] - b.real[i], 2) + std::pow(a.imaginary[i] - b.imaginary[i], 2);
  }
  return std::sqrt(squares);
}

double Norm(const ComplexPoints& at) {
  const size_t n = at.real.size();
  return Distance(at, {std::vector<double>(n), std::vector<double>(n)});
}

// The definition, in the longest numbers there are.
ComplexPoints ByDefinition(const ComplexPoints& at) {
  const size_t n = at.real.size();
  ComplexPoints out{std::vector<double>(n), std::vector<double>(n)};
  for (size_t k = 0; k < n; ++k) {
    long double real = 0;
    long double imaginary = 0;
    for (size_t j = 0; j < n; ++j) {
      const long double turn = static_cast<long double>((j * k) % n) / static_cast<long double>(n);
      const long double angle = -2 * 3.14159265358979323846264338327950288L * turn;
      real += at.real[j] * std::cos(angle) - at.imaginary[j] * std::sin(angle);
      imaginary += at.real[j] * std::sin(angle) + at.imaginary[j] * std::cos(angle);
    }
    out.real[k] = static_cast<double>(real);
    out.imaginary[k] = static_cast<double>(imaginary);
  }
  return out;
}

TEST(FourierTest, IsTheDefinitionWithinTheErrorThatItStates) {
  std::mt19937_64 random(1);
  for (const size_t points : {2u, 4u, 8u, 64u, 512u, 1024u}) {
    const ComplexPoints before = RandomPoints(points, random);
    const ComplexPoints exact = ByDefinition(before);
    const Fourier fourier(points);
    ComplexPoints after = before;
    fourier.Forward(&after);
    EXPECT_LE(Distance(after, exact), fourier.RelativeError() * Norm(exact)) << points;
    EXPECT_GT(fourier.RelativeError(), 0);
  }
}

TEST(FourierTest, TheInverseBringsThePointsBack) {
  std::mt19937_64 random(2);
  for (const size_t points : {2u, 32u, 1u << 16}) {
    const ComplexPoints before = RandomPoints(points, random);
    const Fourier fourier(points);
    ComplexPoints after = before;
    fourier.Forward(&after);
    fourier.Inverse(&after);
    EXPECT_LE(Distance(after, before), 3 * fourier.RelativeError() * Norm(before)) << points;
  }
}

TEST(FourierTest, StatesSevenUnitsForEachDoubling) {
  EXPECT_DOUBLE_EQ(Fourier(1024).RelativeError(), 70 * 0x1p-53);
}

}  // namespace
}  // namespace tombola::accounting
