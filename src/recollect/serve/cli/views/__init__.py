"""What people see: each view puts one kind of answer on a page; the page decides how it looks here."""
