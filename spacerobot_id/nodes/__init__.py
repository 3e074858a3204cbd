"""The ROS 2 nodes: parameters, topics and services around the core, which knows no ROS."""
