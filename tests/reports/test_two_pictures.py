"""The PNG that is drawn beside the SVG shows what matplotlib draws by itself."""

import io
import zlib

import matplotlib
import numpy

matplotlib.use("agg")

from matplotlib.figure import Figure  # noqa: E402: the backend has to be chosen first
from matplotlib.patches import Rectangle  # noqa: E402

from stowage_report.charts.two_pictures import PNG_SCALE, POINTS_PER_INCH, two_pictures  # noqa: E402

#: Of 255, over all pixels: what it comes to when text is moved by a fraction of a pixel.
_ALIKE = 1.0


def _figure():
    figure = Figure(figsize=(4, 3), dpi=POINTS_PER_INCH)
    axes = figure.add_axes((0.15, 0.15, 0.8, 0.7))
    axes.plot([0, 1, 2], [0, 3, 1], linewidth=4, linestyle="--", marker="o", markersize=12)
    axes.plot([0, 2], [9, -9], linewidth=6, color="red")  # reaches beyond the axes, and is cut off there
    axes.fill_between([0, 1, 2], [0, 1, 0], [1, 3, 2], alpha=0.3)
    axes.add_artist(Rectangle((0.2, 0.2), 1, 1, facecolor="none", edgecolor="blue", hatch="///"))
    axes.add_artist(Rectangle((1, 2), 1, 1, fill=False, hatch="xxx", linewidth=0, edgecolor="green"))
    axes.set_ylim(-1, 4)
    figure.text(0.1, 0.9, "sparse_direct", fontsize=14)
    return figure


def _by_matplotlib(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="rgba", dpi=POINTS_PER_INCH * PNG_SCALE)
    width, height = (round(inches * POINTS_PER_INCH * PNG_SCALE) for inches in figure.get_size_inches())
    return numpy.frombuffer(buffer.getvalue(), numpy.uint8).reshape(height, width, 4)[:, :, :3]


def _decoded(png, shape):
    height, width, channels = shape
    at = png.index(b"IDAT")
    lines = zlib.decompress(png[at + 4:at + 4 + int.from_bytes(png[at - 4:at], "big")])
    return numpy.frombuffer(lines, numpy.uint8).reshape(height, 1 + width * channels)[:, 1:].reshape(shape)


def test_the_png_is_what_matplotlib_draws():
    _, png = two_pictures(_figure(), {})
    expected = _by_matplotlib(_figure())
    drawn = _decoded(png, expected.shape)
    assert numpy.abs(drawn.astype(int) - expected).mean() < _ALIKE
    green = [(picture[:, :, 1] > 1.5 * picture[:, :, [0, 2]].max(axis=2)).sum() for picture in (drawn, expected)]
    assert green[1] > 500 and abs(green[0] - green[1]) < 0.1 * green[1]  # a hatch without an edge


def test_a_picture_that_differs_is_noticed():
    """Or the test above would say nothing."""
    other = _figure()
    other.axes[0].lines[1].set_linewidth(3)
    expected = _by_matplotlib(_figure())
    _, png = two_pictures(other, {})
    assert numpy.abs(_decoded(png, expected.shape).astype(int) - expected).mean() > _ALIKE


def test_the_svg_is_what_matplotlib_writes():
    buffer = io.StringIO()
    figure = _figure()
    metadata = {"Date": None, "Creator": None}
    with matplotlib.rc_context({"svg.hashsalt": "equal", "svg.fonttype": "none"}):
        svg, _ = two_pictures(figure, metadata)
        figure.savefig(buffer, format="svg", metadata=metadata)
    assert svg == buffer.getvalue()
