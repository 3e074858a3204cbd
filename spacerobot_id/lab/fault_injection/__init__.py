"""A log replayed with faults: what is noticed, what they do to the estimate, what is reported."""
