"""The laboratory: how the weights of the evaluation are made. docs/lab.md tells it step by step.

Generations of games of the engine against itself (:mod:`~damier.lab.generation`) give samples
(:mod:`~damier.lab.samples`), to which weights are fitted (:mod:`~damier.lab.training`), which play a match against
others before they are shipped (:mod:`~damier.lab.strength`). It needs the extra ``lab``.
"""

from __future__ import annotations
