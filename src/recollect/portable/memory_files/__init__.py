"""Markdown memory trees taken apart into discrete facts: `tree` finds the files, `facts` reads them, the verb stores them."""
