"""The cost of forward dynamics over the number of links, as a picture."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from spacerobot_id.lab.papers.plotting import tidy


def cost_figure(links: Sequence[int], costs: Mapping[str, Sequence[float]]) -> Figure:
    """Return a picture of the processor time of each algorithm.

    Parameters
    ----------
    links : sequence of int
        Links of the chains.
    costs : mapping of str to sequence of float
        Processor time of each algorithm, s.
    """
    figure = Figure(figsize=(7.0, 4.5), layout='constrained')
    axes = figure.subplots()
    for name, times in costs.items():
        axes.plot(links, [1e3 * each for each in times], marker='o', label=name)
    axes.set(xscale='log', yscale='log', xlabel='links', ylabel='processor time, ms')
    axes.legend(frameon=False)
    tidy(axes)
    return figure
