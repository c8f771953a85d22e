"""Values: frozen dataclasses that every stage and back end shares."""
