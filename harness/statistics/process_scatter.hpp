#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/statistics/estimates.hpp"

/// How far a figure lies from what two or three processes saw of it.
///
/// Samples of one process share where its memory lies and whether its pages are huge, so more of them do not tell what
/// the next process will see (Kalibera and Jones 2013): each process counts as one observation, of which there are few.
/// Where the figures of many were measured by the same processes these tell together how far processes usually differ,
/// and each figure's own processes, weighted by their degrees of freedom, whether it differs more (the moderated t of
/// Smyth 2004). All scatter is that of logarithms. `stowage compare` expects the same limits of two runs
/// (reports/stowage_report/compare/change.py).
namespace stowage::harness {

/// However well figures agree, two processes are not expected to agree better than this.
inline constexpr double smallest_run_scatter = 0.01;
/// What is assumed of processes of which nothing is known.
inline constexpr double largest_run_scatter = 0.03;
/// Degrees of freedom of what is assumed: with 5, a figure that jumps by five times the typical scatter is no rarity.
inline constexpr double freedom_of_run_scatter = 5;

/// How far processes are expected to differ before a figure's own are asked. Without degrees of freedom these alone
/// are.
struct ProcessScatter {
  double deviation = largest_run_scatter;
  double freedom = freedom_of_run_scatter;
};

/// Of fewer figures than this the usual scatter is no less than largest_run_scatter: too few to ask.
inline constexpr std::size_t fewest_figures_for_scatter = 3;

/// The scatter that is usual among `figures`, of each what every process saw of it: the middle one, so that one that
/// jumps does not decide for all. Those of a single process say nothing. O(n log n).
[[nodiscard]] ProcessScatter process_scatter_of(std::span<const std::vector<double>> figures);

/// The same of figures that all feel what happens to a process, as times do and ratios within one do not: however many
/// there are, they are one witness of that, so it is no less than largest_run_scatter. Where processes differ by more,
/// two of them say too little of it for 95 %.
[[nodiscard]] ProcessScatter shared_scatter_of(std::span<const std::vector<double>> figures);

/// `pooled`, an estimate from the samples of all processes, with an interval that holds for other processes, too, at
/// 95 %, and holds what each of these saw: reaches by chance within processes and between them are added as variances.
/// Between them Student's t is taken, and no less scatter than smallest_run_scatter. `of_processes` is what each of
/// them saw, positive, at least one; this is one of so many `comparisons` that are judged together.
[[nodiscard]] Estimate across_processes(const Estimate& pooled, std::span<const double> of_processes,
                                        const ProcessScatter& expected, std::size_t comparisons = 1);

/// The product of two, as uncertain as both together; no interval if one has none.
[[nodiscard]] Estimate product(const Estimate& left, const Estimate& right);

}  // namespace stowage::harness
