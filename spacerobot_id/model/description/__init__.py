"""Robot descriptions: URDF and YAML files read, checked, built and written."""
