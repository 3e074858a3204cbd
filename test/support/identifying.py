"""What many tests of identification do: absorb block by block, fit everything, watch changes."""

from dataclasses import replace

from spacerobot_id.estimation import absorb, best_fit


def taken(state, record, block=20):
    """Return the state after a record in blocks, and when changes were announced."""
    announced = []
    for begin in range(0, len(record), block):
        before = state.changes
        state = absorb(state, record[begin : begin + block])
        if state.changes > before:
            announced.append(float(record.times[begin]))
    return state, announced


def absorbed(state, record, block=20):
    """Return the state after a record in blocks."""
    return taken(state, record, block)[0]


def later(record, seconds=100.0):
    """Return a record that is taken later."""
    return replace(record, times=record.times + seconds)


def solved(method, record):
    """Return what linear equations of a method give without a prior, as information."""
    information = best_fit(method, record, (method.prior().mean,)).information
    return information if method.has_stated_noise else information.with_unit_residual()
