"""The boundary to a model: what it is asked, what it answers, what that costs, and the answer again without asking."""
