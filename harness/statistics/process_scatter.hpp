#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/statistics/estimates.hpp"

/// The scatter of a figure between few processes.
///
/// All samples of one process have the same memory addresses and page sizes, so more of them do not predict the next
/// process (Kalibera and Jones 2013): each process counts as one observation, of which there are few. If the same
/// processes measured many figures, these show together how far processes usually differ. The processes of one figure,
/// weighted by their degrees of freedom, show whether it differs more (the moderated t of Smyth 2004). All scatter is
/// that of logarithms. `stowage compare` expects the same limits of two runs
/// (reports/stowage_report/compare/change.py).
namespace stowage::harness {

/// The least scatter that is expected between processes, however well the figures agree.
inline constexpr double smallest_run_scatter = 0.01;
/// The scatter that is assumed if nothing is known.
inline constexpr double largest_run_scatter = 0.03;
/// Degrees of freedom of that assumption: with 5, a jump by five times the typical scatter is not rare.
inline constexpr double freedom_of_run_scatter = 5;

/// Of so many processes an interval includes the values whole: more of them are no longer the few that are known.
inline constexpr std::size_t most_processes_included = 3;

/// The expected scatter before a figure's own processes count. Without degrees of freedom, only they count.
struct ProcessScatter {
  double deviation = largest_run_scatter;
  double freedom = freedom_of_run_scatter;
};

/// With fewer figures than this, the usual scatter is at least largest_run_scatter.
inline constexpr std::size_t fewest_figures_for_scatter = 3;

/// The usual scatter of `figures`, each given by its value in every process: the median, so that one outlier does not
/// decide. Figures of a single process are ignored. O(n log n).
[[nodiscard]] ProcessScatter process_scatter_of(std::span<const std::vector<double>> figures);

/// The same for figures that all depend on the process, as times do and ratios within one process do not. They count as
/// one observation, so the scatter is at least largest_run_scatter. If processes differ by more, two of them are too
/// few for 95 %.
[[nodiscard]] ProcessScatter shared_scatter_of(std::span<const std::vector<double>> figures);

/// `pooled`, an estimate from the samples of all processes, with a 95 % interval that also holds for other processes
/// and, of up to most_processes_included, includes the value of each of these. The variances within and between
/// processes are added; between them Student's t applies, with at least smallest_run_scatter. `of_processes` has the
/// value in each process, positive, at least one. This is one of so many `comparisons` that are judged together.
[[nodiscard]] Estimate across_processes(const Estimate& pooled, std::span<const double> of_processes,
                                        const ProcessScatter& expected, std::size_t comparisons = 1);

/// The product of two, as uncertain as both together; no interval if one has none.
[[nodiscard]] Estimate product(const Estimate& left, const Estimate& right);

}  // namespace stowage::harness
