"""`stowage build-cost`: what a strategy costs its user at the desk, by compiling and running the small game in unit/."""
