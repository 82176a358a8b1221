"""An answer of `stowage recommend`, as its tests and the fuzzers begin with it."""


def entry(strategy, frame_ns, tied=False, **more):
    return {"strategy": strategy, "frame_ns": frame_ns, "interval": [0.9 * frame_ns, 1.1 * frame_ns],
            "frame_p99_ns": 1.2 * frame_ns, "frame_p99_interval": [1.1 * frame_ns, 1.5 * frame_ns],
            "frame_max_ns": 2 * frame_ns, "bytes_per_entity": 64.25,
            "broken_budgets": [], "tied": tied, "ratio_to_winner": frame_ns / 1e6, "ratio_interval": None,
            "parts": {"frame_systems_ns": 0.75 * frame_ns, "frame_turnover_ns": 0.25 * frame_ns}, **more}


RANKING = [entry("indirection_map", 1e6, tied=True, l1d_misses_per_frame=1200.0, ll_misses_per_frame=3.5),
           entry("sparse_direct", 1.01e6, tied=True),
           entry("naive_objects", 4e6, broken_budgets=["frame_ms"], bytes_per_entity=None, frame_p99_ns=None,
                 frame_p99_interval=None, frame_max_ns=None)]


def answer_of(ranking, **more):
    return {
        "winner": "indirection_map", "tied": ["sparse_direct"], "profile": "a <game>", "entities": 1000,
        "ranking": ranking, "frames_per_process": 144, "processes": 3,
        "reasons": ["indirection_map takes 1.00 ms a frame"],
        "sensitivity": [{"what": "twice the churn", "winner": "sparse_direct", "tied": [], "changes_the_winner": True,
                         "former_winner_ratio": 1.25}],
        "winner_does_not_promise": [{"card": "creation_order", "reason": "the last row fills the gap"}],
        "not_ranked": [{"strategy": "offset_table.16bit", "reason": "too few rows"}],
        "left_out": [], "measured_s": 61.4, **more,
    }


def placements(**more):
    return {"strategy": "hybrid", "design": "hybrid+burning=sparse", "difference": "burning sparse",
            "schema": [{"mark": "Group", "components": ["position", "burning"]}],
            "components": [{"name": "position", "type": "game::Position", "header": "/x/position.hpp", "place": "table",
                            "why": "all have it"},
                           {"name": "burning", "bytes": 8, "place": "sparse", "why": "2 % have it",
                            "elsewhere": {"place": "table", "ratio": 1.25, "interval": [1.2, 1.3]}}],
            "trials": 4, "confirmed": True, "tried": "hybrid+burning=sparse", "ratio_to_winner": 0.8,
            "ratio_interval": [0.77, 0.83], **more}
