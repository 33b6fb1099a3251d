"""The files that governed intake writes into the project folder: how each looks, and whether one is still its own."""
