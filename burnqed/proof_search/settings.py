"""The settings of a search: the values of `SearchConfig` or `EvaluateConfig` that decide its course."""

from __future__ import annotations

from dataclasses import dataclass, field

from burnqed.config import EvaluateConfig, SearchConfig


@dataclass(frozen=True)
class SearchSettings:
    """See `burnqed.config.SearchConfig` for the fields' meaning and units."""

    budget: int
    """The largest: `nodes_at_proof` of each result tells which smaller budgets it satisfies."""
    tokens: int | None
    seconds: float
    depth: int
    candidates: int
    draws: int = field(repr=False)
    """Like `spread` not in `repr`, by which folders of evaluations from before there were these two are known; `run_evaluation` notes both by itself."""
    temperature: float
    spread: float = field(repr=False)
    alpha: float
    beta: float
    length_exponent: float
    energy_depth: int
    widening: float | None
    open_theorems: int = field(repr=False)
    """Affects only how long it takes."""
    probe_tactics: tuple[str, ...] = ()
    """Tried at every expanded state besides the policy's candidates."""

    @staticmethod
    def for_search(config: SearchConfig, probes: tuple[str, ...], *, noise: bool = False) -> SearchSettings:
        """Search for training data; `probes` are the Lean backend's, `noise` gives the variant that samples at the noise temperature."""
        return SearchSettings(
            budget=config.budget,
            tokens=config.tokens,
            seconds=config.seconds,
            depth=config.depth,
            candidates=config.candidates,
            draws=config.draws,
            temperature=config.noise_temperature if noise else config.temperature,
            spread=config.spread,
            alpha=config.alpha,
            beta=config.beta,
            length_exponent=config.length_exponent,
            energy_depth=config.energy_depth,
            widening=config.widening,
            open_theorems=config.open_theorems,
            probe_tactics=probes if config.probe_tactics else (),
        )

    @staticmethod
    def for_evaluation(config: EvaluateConfig, search: SearchConfig, probes: tuple[str, ...]) -> SearchSettings:
        """One run at the largest budget, ordered as in the search for training data, whatever that tries beside the policy's candidates; `probes` are the Lean backend's."""
        return SearchSettings(
            budget=max(config.budgets),
            tokens=config.tokens,
            seconds=config.seconds,
            depth=config.depth,
            candidates=config.candidates,
            draws=config.draws,
            temperature=config.temperature,
            spread=config.spread,
            alpha=search.alpha,
            beta=search.beta,
            length_exponent=search.length_exponent,
            energy_depth=search.energy_depth,
            widening=search.widening,
            open_theorems=search.open_theorems,
            probe_tactics=probes if config.probe_tactics else (),
        )
