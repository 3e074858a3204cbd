"""Methods of identification: a file each predicts what sensors read, all else is common."""
