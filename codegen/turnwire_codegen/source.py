"""Where the canonical protocol lies: inside the installed package, or in the checkout that this package is part of."""

from pathlib import Path

__all__ = ["canonical_folder"]


def canonical_folder() -> Path:
    """The folder with VERSION and schema/. A wheel carries a copy; an editable install reads the checkout itself."""
    package = Path(__file__).parent
    installed = package / "protocol"
    return installed if installed.is_dir() else package.parents[1] / "protocol"
