"""What the searches of a run did, in pandas: python examples/trajectories_in_pandas.py STORE [RUN]"""

import sys

import burnqed

run = burnqed.Run(*sys.argv[1:])
for iteration in run.iterations:
    for evaluation in iteration.results.evaluations:
        figures = evaluation.at_largest
        print(f"iteration {iteration.number}: {figures.solved} of {figures.total} ({evaluation.variant})")

rows = run.trajectories(["iteration", "theorem", "tactic", "tactic_status", "status", "nodes"]).to_pandas()
print(rows.groupby("iteration")["theorem"].nunique().to_string())
print(rows.groupby(["iteration", "status"])["nodes"].agg(["count", "mean"]))
print(rows["tactic_status"].value_counts())
accepted = rows[rows.tactic_status == "ok"]["tactic"].dropna().astype(str)  # a theorem's first row has no tactic
print(accepted.str.split(n=1).str.get(0).value_counts().head(10))
