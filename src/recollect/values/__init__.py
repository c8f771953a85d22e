"""What things are: frozen values that every stage, back end and door shares. No behaviour beyond their own meaning."""
