"""Stages that ask a model how it reads records: what is shown, what is asked, and what of an answer counts. Pure."""
