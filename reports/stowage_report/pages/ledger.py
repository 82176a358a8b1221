"""The ledger of claims as the page shows it, and the misses that an article predicts beside those counted here."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from stowage_report.charts.canvas import WIDTH, Canvas, Chart, add_axes, foot_legend, headline
from stowage_report.charts.style import GRID, INK, MUTED, Looks
from stowage_report.claims import Evaluation, Verdict, evaluate
from stowage_report.claims.evaluate import claims_named
from stowage_report.claims.formats import summary
from stowage_report.claims.ruling import Prediction, interval_text
from stowage_report.data import passes, wording
from stowage_report.data.model import Run

#: A sign beside the word, so that a reader needs neither colours nor the word alone.
SIGNS = {Verdict.HOLDS: "\N{CHECK MARK}", Verdict.REFUTED: "\N{BALLOT X}",
         Verdict.DEPENDS: "\N{CIRCLE WITH LEFT HALF BLACK}", Verdict.UNDECIDED: "?"}
_PREDICTING = ("C10", "C11", "C12")

_TOP, _BOTTOM, _HEADER, _ROW = 48, 44, 24, 19  # points
_LEFT, _RIGHT = 96, 70


class Ledger:
    """What `stowage claims` says of a run."""

    def __init__(self, run: Run, chart: Chart | None):
        self.evaluations = evaluate([run])
        self.chart = chart  # predicted misses beside counted ones
        self.summary = summary(self.evaluations)
        self.predictions = [(each, each.ruling.prediction) for each in self.evaluations if each.ruling.prediction]

    @staticmethod
    def interval(evaluation: Evaluation) -> str:
        return interval_text(evaluation.ruling.interval)


def predictions_chart(canvas: Canvas, run: Run) -> Chart | None:
    """None if these misses were not counted."""
    predictions = [each.ruling.prediction for each in evaluate([run], claims_named(_PREDICTING))]
    predictions = [each for each in predictions if each]
    if not predictions:
        return None
    rows = sum(len(each.counted) for each in predictions)
    height = _TOP + len(predictions) * _HEADER + rows * _ROW + _BOTTOM

    def draw(figure: Figure) -> None:
        headline(figure, "Misses predicted and counted",
                 f"per entity, two components by lookup; {passes.source(run, passes.CACHE)}")
        depth = height - _TOP - _BOTTOM
        axes = add_axes(figure, _LEFT, _TOP, WIDTH - _LEFT - _RIGHT, depth)
        axes.set_ylim(depth, 0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        y = 0.0
        for prediction in predictions:
            y = _draw_prediction(axes, prediction, y, canvas.looks)
        axes.set_xlim(0, 1.05 * max(max(each.predicted + each.room, *each.counted.values()) for each in predictions))
        axes.locator_params(axis="x", nbins=6)
        foot_legend(figure, [Line2D([], [], color=INK.light, linewidth=2.2, label="predicted"),
                             Patch(facecolor=GRID.light, label="within 25 %"), Patch(facecolor=MUTED.light, label="counted")])

    return canvas.chart("claims-misses", "Misses predicted and counted", f"{_in_words(predictions)}.", draw,
                        height=height)


def _draw_prediction(axes: Axes, prediction: Prediction, y: float, looks: Looks) -> float:
    """Returns the top of the next one."""
    top, bottom = y + _HEADER, y + _HEADER + len(prediction.counted) * _ROW
    axes.annotate(prediction.subject, (0, y + 0.62 * _HEADER), xytext=(-_LEFT + 8, 0), textcoords="offset points",
                  xycoords=("axes fraction", "data"), fontsize=10.5, fontweight="bold", va="center")
    low, high = max(0.0, prediction.predicted - prediction.room), prediction.predicted + prediction.room
    axes.fill_between([low, high], top, bottom, color=GRID.light, linewidth=0, zorder=1)
    axes.plot([prediction.predicted] * 2, [top, bottom], color=INK.light, linewidth=2.2, zorder=4, clip_on=False)
    for place, (order, count) in enumerate(prediction.counted.items()):
        middle = top + (place + 0.5) * _ROW
        axes.barh(middle, max(count, 0.0), 0.55 * _ROW, color=looks[prediction.subject].colour.light, zorder=3)
        axes.annotate(f"order:{order}", (0, middle), xytext=(-8, 0), textcoords="offset points", ha="right",
                      xycoords=("axes fraction", "data"), va="center", fontsize=9.5)
        axes.annotate(wording.number(count), (1, middle), xytext=(8, 0), textcoords="offset points",
                      xycoords=("axes fraction", "data"), va="center", fontsize=9.5)
    return bottom


def _in_words(predictions: list[Prediction]) -> str:
    return "; ".join(
        f"{each.subject}: {each.predicted:g} predicted, counted "
        f"{wording.listing([f'{wording.number(count)} (order:{order})' for order, count in each.counted.items()])}"
        for each in predictions)
