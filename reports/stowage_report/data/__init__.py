"""Stored results and what follows from them: the model, how it is read, estimates, metrics, verdicts, wording.

Needs only the standard library.
"""
