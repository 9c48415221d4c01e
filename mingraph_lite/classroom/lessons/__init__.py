"""What each lesson asks: one file per notebook, kept out of sight."""
