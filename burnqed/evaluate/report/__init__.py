"""The report of an iteration: one static HTML page without scripts, and the proofs it lists as files for `lean check`.

    write_report(ReportInputs(result=…, earlier=…, …), folder)      # index.html, proofs.json, proofs.lean

inputs.py says what a report is made of, proofs.py lists the proofs, plots.py draws, page.py lays out (page.html.j2, style.css).
"""

from burnqed.evaluate.report.inputs import JointFigures, LossPoint, ReportInputs
from burnqed.evaluate.report.page import write_report
from burnqed.evaluate.report.proofs import Proof

__all__ = ["JointFigures", "LossPoint", "Proof", "ReportInputs", "write_report"]
