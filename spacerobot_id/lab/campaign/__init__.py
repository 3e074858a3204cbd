"""Qualification campaigns: many identifications of robots that are drawn, judged by their truth.

A campaign file (``definition``) states what is drawn (``draws``), how each run is flown and
identified (``run``) and what is required; runs are executed on Dask (``execution``), kept as
Parquet (``tables``) and judged (``analysis``).
"""
