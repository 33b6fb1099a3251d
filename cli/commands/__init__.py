"""The commands of `t2c`: each parses its arguments, calls one action and presents the result."""
