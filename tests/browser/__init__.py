"""Tests that look at the page a learner sees."""
