"""What is worth showing and proves nothing: each doubt is a question to a judge or a person, never a verdict."""
