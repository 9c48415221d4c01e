"""What a type hint becomes, on the menu and back."""
