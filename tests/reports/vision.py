"""How colours look to readers with different colour vision: Machado, Oliveira and Fernandes (2009), full severity."""

import math

SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE = (0.9505, 1.0, 1.089)


def _linear(colour: str) -> list[float]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def _times(matrix, vector) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def _lab(linear: list[float]) -> tuple[float, float, float]:
    ratios = [value / white for value, white in zip(_times(_TO_XYZ, linear), _WHITE)]
    x, y, z = (ratio ** (1 / 3) if ratio > 0.008856 else 7.787 * ratio + 16 / 116 for ratio in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, sight: str) -> float:
    """CIE76; 2.3 is what can just be noticed side by side."""
    seen = [[min(1.0, max(0.0, c)) for c in _times(SIGHTS[sight], _linear(colour))] for colour in (one, other)]
    return math.dist(_lab(seen[0]), _lab(seen[1]))


def contrast(one: str, other: str) -> float:
    """As WCAG defines it; graphics should have 3."""
    lighter, darker = sorted((_times(_TO_XYZ, _linear(colour))[1] for colour in (one, other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
