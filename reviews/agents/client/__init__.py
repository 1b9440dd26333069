"""The project of the package that agents install, with its own pyproject. It imports nothing of the product."""
