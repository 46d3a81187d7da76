"""Defaults for Lean's core library, whatever runs it; a backend may offer others."""

DEFAULT_HEADER = 'set_option autoImplicit false\nnotation "ℕ" => Nat\nnotation "ℤ" => Int\n'
"""For indices without a header; with it the public core-Lean files load unchanged."""

PROBE_TACTICS = (
    "rfl",
    "trivial",
    "assumption",
    "contradiction",
    "decide",
    "omega",
    "simp",
    "simp_all",
    "grind",
    "ac_rfl",
    "nofun",
    "infer_instance",
    "simp at *",
    "simp <;> omega",
    "simp_all <;> omega",
    "constructor <;> omega",
    "split <;> simp_all",
    "norm_cast",
)
