"""Bars made of what payload, index and the rest account for: drawn alike whether they are misses or bytes."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from stowage_report.charts.style import INK, MUTED, Colour

#: Told apart by texture, because the colour already says which strategy it is.
_TEXTURES = ({"alpha": 1}, {"alpha": 0, "hatch": "/////"}, {"alpha": 0.25})

LEGEND_HEIGHT = 20  # points


def draw_shares(axes: Axes, y: float, height: float, shares: tuple[float, float, float], colour: Colour) -> None:
    """Of payload, index and the rest, one after the other from 0 on."""
    left = 0.0
    for share, texture in zip(shares, _TEXTURES):
        if share > 0:
            axes.add_artist(Rectangle((left, y - height / 2), share, height, **_look(colour, **texture)))
        left += share


def draw_share_legend(figure: Figure, rest: str, *marks: Artist) -> None:
    """At the foot of the figure; `marks` carry their own labels."""
    patches = [Patch(label=label, **_look(MUTED, **texture))
               for label, texture in zip(("payload", "index", rest), _TEXTURES)]
    handles = [*patches, *marks]
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 0), ncol=len(handles), frameon=False,
                  fontsize=9.5, handlelength=1.6, columnspacing=1.2, borderaxespad=0.3, labelcolor=INK.light)


def _look(colour: Colour, *, alpha: float, hatch: str = "") -> dict[str, object]:
    return {"facecolor": to_rgba(colour.light, alpha), "edgecolor": colour.light, "linewidth": 0.6, "hatch": hatch}
