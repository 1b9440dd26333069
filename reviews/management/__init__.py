"""What the shell's commands share. Each command is a module of `commands`."""
