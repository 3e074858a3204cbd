"""What a campaign is: its file, read and checked, and all texts that it is made of."""
