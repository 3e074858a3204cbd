"""Variance components: whose noise it is that a fit leaves, and how large.

Every stream adds its own part to the covariance of a misfit: the gyro to rates alone, the joint
rates to all that is predicted from them. Which parts are larger or smaller than stated, and by how
much, are variance components (Harville, 1977): those of largest likelihood, one stream more at a
time as long as any is asked for, of these the one that makes the residuals likeliest.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from spacerobot_id.measurement import Record
from spacerobot_id.measurement.record import STREAMS
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.prediction import Prediction

_PART, _FEWEST = 4000, 10
"""Samples about that noise is found of, and readings per unknown that it takes at least."""

_RUN = 100
"""Samples in a row of these."""

_NEIGHBOURS = 3
"""Later samples that a reading between messages may share noise with: cubics are laid there."""

_NEAR = 0.5
"""Usual steps that later samples may be farther off to be neighbours."""

_CORRELATED = 4.0
"""Deviations of an autocorrelation from which on neighbours count."""

_CHANCE = 5.0
"""Deviations of a score beyond which a variance is not as stated."""

_ALIKE = 0.9
"""Share of the largest gain of the likelihood from which on a stream may be the one."""

_STEPS, _SETTLED = 30, 0.002
"""Most steps of Fisher scoring, and relative change of a variance that ends it."""

_LEAST_STEP, _LEAST, _MOST = 0.1, 1e-8, 1e8
"""Most that a step makes of a variance when it makes it smaller, smallest and largest one."""

_TRIED = 0.5, 2.0, 10.0, 100.0
"""Times a variance at which the likelihood is looked at, where no score is at hand."""


def components_of(
    method: Method,
    samples: Record,
    values: NDArray[np.float64],
    shown: NDArray[np.float64] | None,
) -> 'Components | None':
    """Return the likelihood of what unknowns leave of samples; None of too few.

    Parameters
    ----------
    method : Method
        Robot and readings.
    samples : Record
        Samples in the order of time, weighed as those of the fit.
    values : ndarray, shape (u,)
        Unknowns of the fit.
    shown : ndarray, shape (4,), optional
        Variances over those stated that the fit took; None if as stated.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the robot hardly resists motion.
    """
    every = 1 + len(samples) // _PART
    part = samples[np.arange(len(samples)) // _RUN % every == 0]
    left = method.predict(part, values, with_slope=False)
    if left.shared is not None and every > 1:  # it shows in slow motion: none is left out between
        begin = (len(samples) - _PART) // 2
        part = samples[begin : begin + _PART]
        left = method.predict(part, values, with_slope=False)
    counted = np.isfinite(left.error)
    if left.counted is not None:
        counted &= left.counted
    read, unknowns = int(counted.sum()), len(method.unknowns)
    if read < _FEWEST * unknowns:
        return None
    stated = _covariance(left)
    doubled = (part.weighed(each) for each in 1.0 + np.eye(len(STREAMS)))
    parts = np.array([
        _covariance(method.predict(each, values, with_slope=False)) - stated for each in doubled
    ])  # fmt: skip
    if left.shared is not None:
        return _OfAllSamples(stated, parts, left, shown)
    error = np.where(counted, left.error, 0.0) * np.sqrt(read / (read - unknowns))
    squares, terms = _squares(part.times, error)
    squares += ~counted[:, :, None] * np.eye(error.shape[1])  # as is stated of those
    return _OfSingleSamples(stated, parts, squares, terms)


@dataclass(frozen=True, eq=False)
class Components:
    """Likelihood of what is left of N samples of k readings in the variances of four streams.

    Parameters
    ----------
    stated : ndarray, shape (N, k, k)
        Covariance of each sample as it is stated.
    parts : ndarray, shape (4, N, k, k)
        What each stream adds to it.
    """

    stated: NDArray[np.float64]
    parts: NDArray[np.float64]

    @property
    def least(self) -> NDArray[np.float64]:
        """Least variances over those taken, shape (4,)."""
        raise NotImplementedError

    @property
    def most_by_chance(self) -> float:
        """Twice the gain of the likelihood that another variance may have by chance."""
        raise NotImplementedError

    def covariance(self, variances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the covariance of each sample with other variances, shape (N, k, k)."""
        return self.stated + np.tensordot(variances - 1.0, self.parts, 1)

    def likelihood(self, variances: NDArray[np.float64]) -> float:
        """Return the log-likelihood of variances, but for a constant."""
        raise NotImplementedError

    def likeliest(self, start: NDArray[np.float64], chosen: list[int]) -> NDArray[np.float64]:
        """Return the variances with some of them as likely as can be."""
        raise NotImplementedError

    def asked(self, found: NDArray[np.float64], chosen: list[int]) -> list[int]:
        """Return the streams, other than those chosen, that may have another variance."""
        raise NotImplementedError

    def variances(self) -> list[NDArray[np.float64]]:
        """Return the streams' variances over those stated, one where they are as stated.

        The likeliest first: several where samples are about as likely with other streams to begin
        with; none of more streams than another that are those, too.
        """
        found = np.ones(len(STREAMS))
        tried = self._with_another(found, [])
        if not tried:
            return [found]
        gains = np.array([self.likelihood(each[0]) for each in tried]) - self.likelihood(found)
        likely = gains >= _ALIKE * gains.max()
        ended = [self._likelier(*tried[each]) for each in np.flatnonzero(likely)]
        off = [each != 1.0 for each in ended]
        fewest = [
            each
            for each, own in zip(ended, off, strict=True)
            if not any(np.all(own >= other) and np.any(own > other) for other in off)
        ]
        return sorted(fewest, key=self.likelihood, reverse=True)

    def _likelier(self, found: NDArray[np.float64], chosen: list[int]) -> NDArray[np.float64]:
        """Return variances with those of all further streams that are asked for.

        Those that are not needed any more beside later ones are left out again.
        """
        while tried := self._with_another(found, chosen):
            found, chosen = max(tried, key=lambda each: self.likelihood(each[0]))
        while len(chosen) > 1:
            tried = [self._without(found, chosen, each) for each in chosen]
            best = int(np.argmax([self.likelihood(each) for each in tried]))
            lost = self.likelihood(found) - self.likelihood(tried[best])
            if 2.0 * lost >= self.most_by_chance:
                break
            found, chosen = tried[best], chosen[:best] + chosen[best + 1 :]
        return found

    def _without(
        self, found: NDArray[np.float64], chosen: list[int], stream: int
    ) -> NDArray[np.float64]:
        """Return variances with that of one stream as it is stated."""
        start = found.copy()
        start[stream] = 1.0
        return self.likeliest(start, [each for each in chosen if each != stream])

    def _with_another(
        self, found: NDArray[np.float64], chosen: list[int]
    ) -> list[tuple[NDArray[np.float64], list[int]]]:
        """Return variances with those of one stream more, for each that is asked for."""
        asked = ([*chosen, each] for each in self.asked(found, chosen))
        return [(self.likeliest(found, each), each) for each in asked]


@dataclass(frozen=True, eq=False)
class _OfSingleSamples(Components):
    """What is left of samples whose noise is each one's own.

    Parameters
    ----------
    squares : ndarray, shape (N, k, k)
        Products of the misfits, with those of neighbours added, as large as without fitted
        unknowns. Readings that lie between messages are less noisy than these and share it with
        their neighbours: what counts for parameters is the noise of many of them together.
    terms : int
        Products that are summed up in each square.
    """

    squares: NDArray[np.float64]
    terms: int

    @property
    def least(self) -> NDArray[np.float64]:
        """Least variances: next to nothing."""
        return np.full(len(self.parts), _LEAST)

    @property
    def most_by_chance(self) -> float:
        """Twice the gain that chance may have, neighbours counted."""
        return _CHANCE**2 * self.terms

    def slopes(
        self, variances: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the slope of the log-likelihood in the variances, and their information."""
        covariance = self.covariance(variances)
        weight = np.linalg.inv(covariance)
        weighed = weight @ self.parts  # (s, N, k, k)
        excess = weight @ (self.squares - covariance)
        slope = 0.5 * np.einsum('snij,nji->s', weighed, excess)
        information = 0.5 * np.einsum('snij,tnji->st', weighed, weighed)
        return slope, information

    def likelihood(self, variances: NDArray[np.float64]) -> float:
        """Return the log-likelihood of variances, but for a constant."""
        covariance = self.covariance(variances)
        spread = np.einsum('nij,nji->n', np.linalg.inv(covariance), self.squares)
        return -0.5 * float(np.sum(np.linalg.slogdet(covariance)[1] + spread))

    def likeliest(self, start: NDArray[np.float64], chosen: list[int]) -> NDArray[np.float64]:
        """Return the variances with some of them as likely as can be (Fisher scoring)."""
        found = start.copy()
        for _ in range(_STEPS):
            slope, information = self.slopes(found)
            among = information[np.ix_(chosen, chosen)]
            step = np.linalg.lstsq(among, slope[chosen], rcond=None)[0]
            least = np.maximum(_LEAST_STEP * found[chosen], self.least[chosen])
            moved = np.maximum(found[chosen] + step, least)
            change = np.abs(np.log(moved / found[chosen])).max()
            found[chosen] = moved
            if change < _SETTLED:
                break
        return found

    def asked(self, found: NDArray[np.float64], chosen: list[int]) -> list[int]:
        """Return the streams that a score test asks for."""
        slope, information = self.slopes(found)
        asked = []
        for each in set(range(len(found))) - set(chosen):
            left = information[each, each]
            if chosen:
                shared = information[each, chosen]
                among = information[np.ix_(chosen, chosen)]
                left -= shared @ np.linalg.lstsq(among, shared, rcond=None)[0]
            is_least = slope[each] < 0.0 and found[each] <= self.least[each]
            if left > 1e-9 * max(information[each, each], 1.0) and not is_least:
                score = abs(slope[each]) / np.sqrt(left)
                if score >= np.sqrt(self.most_by_chance):
                    asked.append(each)
        return asked


@dataclass(frozen=True, eq=False)
class _OfAllSamples(Components):
    """What is left of samples that share noise, as rates from encoders do.

    Single samples then hardly show the noise of the other streams. Nothing shows less noise than
    stated: readings between messages are less noisy, and share it with their neighbours.

    Parameters
    ----------
    left : Prediction
        What unknowns leave of them.
    shown : ndarray, shape (4,), optional
        Variances over those stated that the fit took; None if as stated.
    """

    left: Prediction
    shown: NDArray[np.float64] | None

    @property
    def least(self) -> NDArray[np.float64]:
        """Least variances: those that are stated."""
        return np.ones(len(STREAMS)) if self.shown is None else 1.0 / self.shown

    @property
    def most_by_chance(self) -> float:
        """Twice the gain that chance may have."""
        return _CHANCE**2

    def likelihood(self, variances: NDArray[np.float64]) -> float:
        """Return the log-likelihood of variances, but for a constant."""
        root = np.linalg.cholesky(self.covariance(variances))
        return -0.5 * replace(self.left, noise_factor=root).cost()

    def likeliest(self, start: NDArray[np.float64], chosen: list[int]) -> NDArray[np.float64]:
        """Return the variances with some of them as likely as can be, one after the other."""
        found = start.copy()
        for each in chosen if len(chosen) == 1 else 2 * chosen:
            found[each] = self._likeliest_of(found, each)
        return found

    def asked(self, found: NDArray[np.float64], chosen: list[int]) -> list[int]:
        """Return the streams whose likelihood in the variance has its top elsewhere."""
        now, asked = self.likelihood(found), []
        for each in set(range(1, len(found))) - set(chosen):
            is_least = found[each] <= self.least[each]
            lower, *upper = (self._with(found, each, factor) for factor in _TRIED)
            slope, bend = 0.5 * (upper[0] - lower), 2.0 * now - upper[0] - lower
            gain = max(*upper, now if is_least else lower) - now
            if bend > 0.0 and (slope > 0.0 or not is_least):
                gain = max(gain, 0.5 * slope**2 / bend)
            if 2.0 * gain >= self.most_by_chance:
                asked.append(each)
        return asked

    def _likeliest_of(self, found: NDArray[np.float64], stream: int) -> float:
        """Return the likeliest variance of a stream, those of the others as they are."""
        least, most = np.log(self.least[stream]), np.log(_MOST)
        top = minimize_scalar(
            lambda size: -self._with(found, stream, np.exp(size) / found[stream]),
            bounds=(least, most),
            method='bounded',
            options={'xatol': 10.0 * _SETTLED},
        )
        return float(np.exp(top.x))

    def _with(self, found: NDArray[np.float64], stream: int, factor: float) -> float:
        """Return the log-likelihood with one variance a factor larger."""
        changed = found.copy()
        changed[stream] *= factor
        return self.likelihood(changed)


def _squares(
    times: NDArray[np.float64], error: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Return products of misfits with those of neighbours added, and how many these are."""
    squares, terms = error[:, :, None] * error[:, None, :], 1
    for lag in range(1, _NEIGHBOURS + 1):
        both = _with_later(times, error, lag)
        squares[:-lag] += both
        terms += 2 * bool(both.any())
    return squares, terms


def _with_later(
    times: NDArray[np.float64], error: NDArray[np.float64], lag: int
) -> NDArray[np.float64]:
    """Return products of misfits with those of later samples, both ways, (N - lag, k, k).

    Those of readings alone whose autocorrelation at this lag is more than chance.
    """
    usual = np.median(np.diff(times))
    is_near = times[lag:] - times[:-lag] < (lag + _NEAR) * usual
    first, second = error[:-lag] * is_near[:, None], error[lag:]
    power, pairs = np.sum(error**2, axis=0), np.sum(first * second != 0.0, axis=0)
    limit = _CORRELATED * power / np.sqrt(np.maximum(pairs, 1))
    first = first * (np.abs(np.sum(first * second, axis=0)) > limit)
    both = first[:, :, None] * second[:, None, :]
    return both + np.swapaxes(both, -1, -2)


def _covariance(found: Prediction) -> NDArray[np.float64]:
    return found.noise_factor @ np.swapaxes(found.noise_factor, -1, -2)
