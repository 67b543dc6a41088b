"""A `baton tune` that is interrupted once it has measured something. For its tests."""
import os
import signal
import subprocess
import time


def interrupt(test, words, environment, has_measured, seconds):
    """Sends it SIGINT as soon as `has_measured()`; it ends as its user is told, having written no profile."""
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + seconds
        while not (os.path.exists(test.partial) and has_measured()):
            test.assertLess(time.monotonic(), end, "watchdog: nothing was measured")
            test.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=seconds)
    finally:
        process.kill()
    test.assertEqual(process.returncode, 130, said)
    test.assertIn("the same command continues", said)
    test.assertFalse(os.path.exists(test.file))
