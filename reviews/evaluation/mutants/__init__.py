"""Changes that make a right call wrong. Changes that must not matter are `perturbations`."""
