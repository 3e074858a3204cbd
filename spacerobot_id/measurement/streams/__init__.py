"""Streams of sensors and commands: a file each says all that there is to know of one."""
