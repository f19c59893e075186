"""How sound a graph of facts is, and what damage to it costs."""
