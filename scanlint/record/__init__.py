"""`scanlint record`: run the user's command and keep what traced functions are really called with."""
