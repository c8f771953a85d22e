"""The doors a story is played through. Each does one verb at a time and answers in the form the library's values have as JSON."""
