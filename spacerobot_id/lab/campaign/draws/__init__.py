"""What is drawn for a run: keys of robot, sensors and start, their distributions and designs."""
