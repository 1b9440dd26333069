from tests.evaluation.folders import folder

__all__ = ["folder"]
