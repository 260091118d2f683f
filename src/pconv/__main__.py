"""`python -m pconv` is `pconv`."""

from pconv.cli import main

if __name__ == "__main__":
    main()
