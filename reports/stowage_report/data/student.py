"""Student's t, without a library: its tail probability and its quantile."""

import math
from statistics import NormalDist


def beyond_t(t: float, freedom: float) -> float:
    """The probability that Student's t with so many degrees of freedom, which need not be whole, is further from 0 than
    `t`: the regularised incomplete beta function I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t * t)."""
    if t <= 0:
        return 1.0
    a, b, square = freedom / 2, 0.5, freedom + t * t
    if freedom / square > (a + 1) / (a + b + 2):  # where the fraction of the complement converges faster
        return 1 - _incomplete_beta(t * t / square, b, a)
    return _incomplete_beta(freedom / square, a, b)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """By its continued fraction (Numerical Recipes, 6.4, with Lentz's method): 15 digits after about ten steps."""
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for step in range(1, 1000):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        before = fraction
        for term in (even, odd):
            c, d = 1 + term / c, 1 / (1 + term * d)
            fraction *= c * d
        if abs(fraction - before) <= 1e-16 * fraction:
            break
    return scale * fraction


def t_with(beyond: float, freedom: float) -> float:
    """The t that is exceeded either way with that probability: Newton's method, from the normal distribution's."""
    normal = NormalDist().inv_cdf(1 - beyond / 2)
    t = normal * (1 + (normal**2 + 1) / (4 * freedom))
    at_zero = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(50):
        density = at_zero * (1 + t * t / freedom) ** (-(freedom + 1) / 2)
        step = (beyond_t(t, freedom) - beyond) / (2 * density)
        t += step
        if abs(step) < 1e-13 * t:
            break
    return t
