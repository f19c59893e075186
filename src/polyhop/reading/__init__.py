"""From evidence to an answer whose every citation is checked."""
