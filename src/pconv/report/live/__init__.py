"""Networks in the page: their weights as text, and what the page has to know about them."""
