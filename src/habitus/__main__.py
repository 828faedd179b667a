"""`python -m habitus`: the `habitus` command."""

from .cli import main

main()
