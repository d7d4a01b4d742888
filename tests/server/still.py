"""For the process that servers are forked from, which imports this last: what it has imported is looked at by nobody's
garbage collector, so that a fork need not copy the pages that it is on."""

import gc

gc.collect()
gc.freeze()
