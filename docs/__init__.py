"""The documentation: pages for people, `generate` for the reference pages, `examples` to run what the pages show."""
