"""One loader a file format: a path in, documents out."""
