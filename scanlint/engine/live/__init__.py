"""A session that stays while texts change: an editor asks it again after each edit."""
