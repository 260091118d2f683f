"""What all tests share."""

from __future__ import annotations

import signal

# A shell starts jobs in the background with Ctrl-C ignored, and children inherit that: programs that a test
# interrupts would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)
