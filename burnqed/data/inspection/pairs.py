"""Figures of tactic pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from burnqed.data.inspection.distributions import Tactics, add, by_size, spread


def describe_pairs(read: Callable[[], Iterator[pa.RecordBatch]], examples: int) -> tuple[dict[str, object], list[str]]:
    """Figures of tactic pairs, which `read` yields in batches, and some of them as text. Reads them twice."""
    by_theorem, sources, depths, tactics = Counter[str](), Counter[str](), Counter[int](), Tactics()
    count = finishing = unknown = 0
    for batch in read():
        count += len(batch)
        add(by_theorem, batch["theorem"])
        add(sources, batch["source"])
        add(depths, batch["depth"])
        tactics.add(batch["tactic"], batch["state"])
        finishing += pc.sum(pc.equal(batch["state_after"], "")).as_py() or 0
        unknown += batch["depth"].null_count
    facts: dict[str, object] = {
        "pairs": count,
        "theorems": len(by_theorem),
        "pairs per theorem": spread(Counter(by_theorem.values())),
        "depth": by_size(depths) | ({"unknown": unknown} if unknown else {}),
        "steps that leave no goals": finishing,
        **tactics.facts(),
        "sources": dict(sources.most_common()),
    }
    wanted = set(range(0, count, max(1, count // max(1, examples)))[:examples])
    shown, start = list[str](), 0
    for batch in read() if wanted else ():
        here = [number - start for number in sorted(wanted) if start <= number < start + len(batch)]
        shown += [f"{row['state']}\n  {row['tactic']}" for row in batch.take(pa.array(here, pa.int64())).to_pylist()]
        start += len(batch)
    return facts, shown
