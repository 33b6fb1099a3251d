"""Synthesis: what a model concludes and proposes from a graph, held to rules that no schema can say."""
