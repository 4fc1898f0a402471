"""Which files a run is about: what is found under the paths, less what git and the user leave out."""
