"""Pages where a workspace is set up: members, keys, tools, judge, rules. The guard profile has a folder of its own."""
