"""The strategies that all others are measured against, one a file."""
