"""A folder of Markdown files, one per memory: to read, to keep in git, to edit and import again. Their text is only data."""
