"""Joint torques as equations without accelerations, weighted by the noise they show."""
