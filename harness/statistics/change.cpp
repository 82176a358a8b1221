#include "harness/statistics/change.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <iterator>

namespace stowage::harness {
namespace {

/// The median of the square of a standard normal variable.
constexpr double median_of_chi_square = 0.454936;

/// Which order statistic, counted from 1, a standard error from the middle is nearest to: twice it, so that the tail
/// probabilities stay away from the centre, where the distance says least (Price and Bonett).
std::size_t lower_rank(std::size_t samples) {
  const auto n = static_cast<double>(samples);
  return static_cast<std::size_t>(std::max(1.0, std::round((n + 1) / 2 - std::sqrt(n))));
}

/// How many standard errors of the median lie between it and the order statistic of that rank.
double standard_errors_to(std::size_t rank, std::size_t samples) {
  const boost::math::binomial_distribution<double> below_median(static_cast<double>(samples), 0.5);
  const double beyond = boost::math::cdf(below_median, static_cast<double>(rank) - 1);
  return boost::math::quantile(boost::math::complement(boost::math::normal_distribution<double>(), beyond));
}

double square(double value) { return value * value; }

struct Uncertainty {
  double error = 0;
  double freedom = 0;
};

/// Both kinds of variance together, with the degrees of freedom after Welch and Satterthwaite.
Uncertainty uncertainty_of(const LogChange& change, double run_scatter) {
  const double variance = change.variance() + square(run_scatter);
  const auto share = [](double error, double freedom) { return error > 0 ? square(square(error)) / freedom : 0; };
  const double shares = share(change.before.error, change.before.freedom) +
                        share(change.after.error, change.after.freedom) + share(run_scatter, freedom_of_run_scatter);
  return {std::sqrt(variance), square(variance) / shares};
}

double median_square(std::span<const LogChange> changes, double run_scatter) {
  std::vector<double> squares;
  std::ranges::transform(changes, std::back_inserter(squares), [run_scatter](const LogChange& change) {
    return square(change.value()) / (change.variance() + square(run_scatter));
  });
  return median(squares);
}

}  // namespace

std::optional<LogMedian> log_median(std::span<const double> samples) {
  if (samples.size() < fewest_samples) return std::nullopt;
  std::vector<double> logs;
  std::ranges::transform(samples, std::back_inserter(logs), [](double sample) { return std::log(sample); });
  std::ranges::sort(logs);
  const std::size_t rank = lower_rank(logs.size());
  const double reach = (logs[logs.size() - rank] - logs[rank - 1]) / 2;
  return LogMedian{median(logs), reach / standard_errors_to(rank, logs.size()), static_cast<double>(logs.size() - 1)};
}

double run_scatter_of(std::span<const LogChange> changes) {
  if (changes.size() < fewest_cells_for_scatter) return largest_run_scatter;
  double low = smallest_run_scatter;
  double high = largest_run_scatter;
  if (median_square(changes, low) <= median_of_chi_square) return low;
  if (median_square(changes, high) >= median_of_chi_square) return high;
  while (high - low > 1e-6) {  // the more scatter, the smaller the squares: one root between the limits
    const double middle = (low + high) / 2;
    (median_square(changes, middle) > median_of_chi_square ? low : high) = middle;
  }
  return high;
}

double chance_of(double distance, const LogChange& change, double run_scatter) {
  const Uncertainty uncertainty = uncertainty_of(change, run_scatter);
  const boost::math::students_t_distribution<double> by_chance(uncertainty.freedom);
  return 2 * boost::math::cdf(boost::math::complement(by_chance, std::abs(distance) / uncertainty.error));
}

Interval ratio_interval(const LogChange& change, double run_scatter) {
  const Uncertainty uncertainty = uncertainty_of(change, run_scatter);
  const boost::math::students_t_distribution<double> by_chance(uncertainty.freedom);
  const double reach = uncertainty.error * boost::math::quantile(by_chance, (1 + confidence) / 2);
  return {std::exp(change.value() - reach), std::exp(change.value() + reach)};
}

std::vector<bool> discoveries(std::span<const double> chances) {
  std::vector<double> sorted(chances.begin(), chances.end());
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  double largest = -1;  // of the chances that are small enough for their rank
  for (std::size_t index = 0; index < sorted.size(); ++index) {
    const double allowed = false_discovery_rate * static_cast<double>(index + 1) / count;
    if (sorted[index] <= allowed) largest = sorted[index];
  }
  std::vector<bool> found;
  std::ranges::transform(chances, std::back_inserter(found), [largest](double chance) { return chance <= largest; });
  return found;
}

}  // namespace stowage::harness
