"""The catalogue of events: one module a family, each event a frozen pydantic model of its `data`."""
