"""The linker: from records to relation drafts, pure and explained. `linker.link` is the one way in."""
