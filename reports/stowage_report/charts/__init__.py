"""Every kind of chart, and what charts share: the canvas, colours and markers, axes, rows of bars, SVG."""
