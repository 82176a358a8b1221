"""A section of the page that is about a question rather than about a workload."""

from __future__ import annotations

from dataclasses import dataclass

from stowage_report.charts.canvas import Chart


@dataclass(frozen=True)
class FindingTable:
    caption: str
    head: list[str]
    rows: list[list[str]]  # the first of each names its row


@dataclass(frozen=True)
class Finding:
    anchor: str
    title: str
    prose: str  # what is shown, and what follows from it here
    charts: list[Chart]
    tables: list[FindingTable]
    workloads: tuple[str, ...]  # whose cells it is made of
