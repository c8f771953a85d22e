"""What leaves the store in a form that other programs read: pictures and exports."""
