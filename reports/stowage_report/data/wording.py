"""Numbers and names as people read them: the same in charts, tables and prose."""

from typing import Sequence

from stowage_report.data.estimates import Estimate
from stowage_report.data.model import ENTITIES, Block, Parameters

#: What stands for a figure that was not measured.
ABSENT = "\N{EN DASH}"


def plain(text: str) -> str:
    """Where backticks would not become code."""
    return text.replace("`", "")


def entities(count: int) -> str:
    """16384 -> `16k`, 1048576 -> `1M`; what is no round number of either stays as it is."""
    for unit, size in (("M", 1 << 20), ("k", 1 << 10)):
        if count >= size and count % size == 0:
            return f"{count // size}{unit}"
    return f"{count:,}"


def size_title(count: int) -> str:
    return f"{entities(count)} {'entity' if count == 1 else 'entities'}"


def size(count: int) -> str:
    """Of memory, in bytes: 49152 -> `48 KiB`."""
    for unit, step in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= step:
            return f"{count / step:.4g} {unit}"
    return f"{count} B"


def number(value: float) -> str:
    """With three significant digits, and never with an exponent: `0.0123`, `1.23`, `1,230`."""
    if value >= 999.5:
        return f"{float(f'{value:.3g}'):,.0f}"
    digits = f"{value:.2e}"
    return f"{value:.{max(0, 2 - int(digits[digits.index('e') + 1 :]))}f}"


def figure(count: float | None) -> str:
    """Of a counter: exact if it is whole or has four digits, and no string of zeros if it is next to nothing."""
    if count is None:
        return ABSENT
    if float(count).is_integer():
        return f"{count:,.0f}"
    if count < 0.001:
        return "<0.001"
    if float(f"{count:.4g}") == count:
        return f"{count:.4g}"
    return number(count) if count >= 0.1 else f"{count:.3f}"


def time(nanoseconds: float) -> str:
    """With three digits in the unit that suits: `850 ns`, `1.20 ms`."""
    for unit, size_ns in (("s", 1e9), ("ms", 1e6), ("\N{MICRO SIGN}s", 1e3)):
        if nanoseconds >= 0.9995 * size_ns:
            return f"{number(nanoseconds / size_ns)} {unit}"
    return f"{number(nanoseconds)} ns"


def duration(nanoseconds: float) -> str:
    """As short as it can be: `850 ns`, `1.2 ms`."""
    text, unit = time(nanoseconds).split(" ")
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def correlation(rank: float | None) -> str:
    return ABSENT if rank is None else f"{rank:.2f}".replace("-", "\N{MINUS SIGN}")


def times(ratio: float) -> str:
    return f"{number(ratio)}\N{MULTIPLICATION SIGN}"


def interval(estimate: Estimate) -> str:
    """`exact` of counts: they are what they are."""
    if not estimate.has_interval:
        return "no interval"
    if estimate.low == estimate.high:
        return "exact"
    return f"{number(estimate.low)}\N{EN DASH}{number(estimate.high)}"


def interval_beside_one(ratio: Estimate) -> str:
    """Of a ratio to the best that is worse: a low end just above 1 must not read as 1, which would be open."""
    text = interval(ratio)
    return beside_one(ratio.low) + text[4:] if text.startswith("1.00") and ratio.low > 1 else text


def beside_one(value: float) -> str:
    """With more digits if three would read as 1, of which it is certainly one side."""
    texts = (f"{value:.{digits}g}" for digits in (4, 5))
    return next((text for text in texts if float(text) != 1), "1.00") if number(value) == "1.00" else number(value)


def span(estimate: Estimate) -> str:
    """Of figures that are several ones' smallest and largest, and no interval."""
    return f"{number(estimate.low)} to {number(estimate.high)}"


def parameters(values: Parameters) -> str:
    """`order:same via:each`, as in cell names; a workload without axes has no parameters to name."""
    return " ".join(f"{key}:{entities(int(value)) if key == ENTITIES else value}" for key, value in values)


def title(workload: str, values: Parameters) -> str:
    return f"{workload}, {parameters(values)}" if values else workload


def axis_value(axis: str, value: float) -> str:
    """`16k`, or `0.1` of a parameter: short, for the scale of the axis that it is on."""
    return entities(int(value)) if axis == ENTITIES else f"{value:g}"


#: What the numbers of a parameter mean, if its name does not say it.
_AXES = {"share": "share of entities that own the components, %", "bytes": "bytes of the component",
         "rate": "change in a frame, % of the entities", "loops": "loops in a frame", "payload": "bytes of an entity's components",
         "frames": "churn frames before", "others": "other components of each entity", "sets": "component sets",
         "instances": "instances of an entity"}


def axis_label(axis: str) -> str:
    return _AXES.get(axis, axis)


def place(axis: str, block: Block) -> str:
    """Where on its sweep's axis a block is: `16k entities`, `share:10`."""
    value = block.value(axis)
    return size_title(int(value)) if axis == ENTITIES else f"{axis}:{axis_value(axis, value)}"


def places(axis: str, blocks: Sequence[Block]) -> str:
    """`1k, 16k and 256k`, `share 1, 5 and 10`."""
    values = listing([axis_value(axis, block.value(axis)) for block in blocks])
    return values if axis == ENTITIES else f"{axis} {values}"


def listing(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def ends(values: Sequence[object]) -> str:
    """`1k to 256k`, or `1k` if the first one is the last one."""
    return " to ".join(dict.fromkeys(map(str, (values[0], values[-1]))))


def plural(count: int, noun: str, many: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def per_item(item: str) -> str:
    """The unit of a cost, with the name of the item if it is short enough for a chart."""
    return f"ns per item (item: {item})" if 0 < len(item) <= 40 else "ns per item"
