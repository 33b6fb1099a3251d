"""linkbench: how often the commit that a changelog entry tells of is found, with every number taken away.

Many projects end a changelog entry with the number of a pull request, and the commit bears the same number. That
number is the label; it is stripped from all that a linker may see. Labels are incomplete: a perfect linker would
measure 0.95 to 0.97. `run.py` does everything.
"""
