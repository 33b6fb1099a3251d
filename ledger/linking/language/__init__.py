"""Prose in Polish, German, French and Spanish related to code that is named in English. `translated.BOOK` is the rule.

Nothing here imports the stemming library, reads the lexicon or learns anything before a statement in one of these
languages was seen.
"""
