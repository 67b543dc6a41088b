"""What `baton lab` executes: python3 on this folder. Only checks that this Python will do, then runs the command."""
import os
import sys

if sys.version_info < (3, 11):
    sys.exit(f"baton lab: it needs Python 3.11 or newer; python3 is {sys.version.split()[0]}: put a newer one "
             "first on PATH")
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

try:
    from lab.command import main
    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:
    sys.exit(130)
