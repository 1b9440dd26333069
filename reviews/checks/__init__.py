"""What a check does once it runs: detectors, findings, routing. When it runs is `reviews.scheduling`."""
