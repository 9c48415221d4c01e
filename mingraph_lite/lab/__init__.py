"""Models that need no network: scenarios, faults, a fake server."""
