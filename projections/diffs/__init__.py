"""What is different between two graphs or two texts: pure functions over documents, no reading of any tree."""
