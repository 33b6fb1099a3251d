"""Approvals: who may say yes to exactly which bytes, until when, with what signature, and whether that still holds."""
