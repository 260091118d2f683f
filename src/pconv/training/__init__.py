"""Training one network, epoch by epoch, with checkpoints."""
