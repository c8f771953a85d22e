"""Export, import and copy: memories in forms that other programs, other stores and people can read.

export.py    -> exporter.py (store -> stream of items) -> jsonl.py, markdown/, CSV
import_.py   -> jsonl.py, markdown/ -> importer.py (stream of items -> store, page by page)
             -> memory_files/, importers/ (other products -> drafts) -> ingest.py (drafts -> the write path)
copy.py      -> exporter.py of one store -> importer.py of another
graph/       -> a graph of memories as an HTML page, Graphviz, GraphML or JSON
"""
