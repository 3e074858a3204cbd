"""Log files: rosbag2 folders read and written, their messages as streams."""
