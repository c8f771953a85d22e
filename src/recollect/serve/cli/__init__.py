"""The command line. `menu` names the commands, `commands/` are they, `views/` show answers to people, `Door` opens the store."""
