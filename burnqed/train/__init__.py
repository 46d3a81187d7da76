"""Training of the policy and of the energy head: the part of the package that needs torch."""

import os

# Read once, when torch loads its threads' library: threads that wait for work sleep and do not spin. Spinning made fine-tuning
# of the small model on two busy cores take three to ten times the processor time.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
