"""My agent, written lesson by lesson: keep(...) adds what I wrote."""
