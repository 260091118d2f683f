"""The attribution methods that ship, one module for each family; each registers its own."""
