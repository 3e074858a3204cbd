"""Methods of identification: a file each says what the sensors should read, all else is common."""
