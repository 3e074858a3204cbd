"""Qualification campaigns: many identifications of robots that are drawn, judged by their truth.

A campaign file (``campaign_file``) states what is drawn (``draws``), how each run is flown and
identified (``run``) and what is required; runs are executed on Dask (``execution``), kept as
Parquet (``result_folder``) and judged (``analysis``).
"""
