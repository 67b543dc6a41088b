"""What `baton lab` executes: python3 on this folder. Only checks that this Python will do, then runs the command."""
import os
import sys

if sys.version_info < (3, 11):
    sys.exit(f"baton lab: it needs Python 3.11 or newer; python3 is {sys.version.split()[0]}: put a newer one "
             "first on PATH")
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

try:
    from lab.command import main
    code = main(sys.argv[1:])
    sys.stdout.flush()
except KeyboardInterrupt:
    code = 130
except OSError as error:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that what is left of the output cannot fail a second time
    print(f"baton lab: {error}", file=sys.stderr)
    code = 1
sys.exit(code)
