"""The parts of changelogs: what a category means, what a line tells, and what fragments announce."""
