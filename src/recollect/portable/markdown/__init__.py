"""A folder of Markdown files, one a memory: to read, to keep in git, to edit. What is in it is data, never run or rendered."""
