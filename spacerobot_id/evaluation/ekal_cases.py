"""The ways to fly of papers/003: criterion, period, with and without saturation."""

from spacerobot_id.evaluation.ekal_study import EkalCase
from spacerobot_id.excitation import FreeFlyerCriterion

V1, V2 = FreeFlyerCriterion.CONDITION, FreeFlyerCriterion.INFORMATION
FREE_V1, FREE_V2 = EkalCase(V1, 10.0, limited=False), EkalCase(V2, 10.0, limited=False)
LIMITED_V1, LIMITED_V2 = EkalCase(V1, 10.0, limited=True), EkalCase(V2, 10.0, limited=True)
SLOW_V1, SLOW_V2 = EkalCase(V1, 60.0, limited=True), EkalCase(V2, 60.0, limited=True)
SLOW_FREE_V1, SLOW_FREE_V2 = EkalCase(V1, 60.0, limited=False), EkalCase(V2, 60.0, limited=False)

CASES = (
    FREE_V1,
    FREE_V2,
    LIMITED_V1,
    LIMITED_V2,
    SLOW_V1,
    SLOW_V2,
    SLOW_FREE_V1,
    SLOW_FREE_V2,
)
"""All cases, those with limits before the same without where the two may fly alike."""
