"""What a run looks like: frames, and what draws them."""
