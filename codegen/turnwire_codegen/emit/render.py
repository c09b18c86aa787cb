"""The only user of jinja: one environment in which an unknown name is an error and a template can only print."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jinja2

__all__ = ["environment", "render"]


def render(package: str, template: str, values: Mapping[str, Any]) -> str:
    """Print `templates/<template>` of the emitter `package`; raises jinja2.UndefinedError for what the view lacks."""
    return environment(package).get_template(template).render(values)


@cache
def environment(package: str) -> jinja2.Environment:
    """The environment of one language; autoescape is off because code is not HTML."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(f"turnwire_codegen.emit.{package}"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 -- the output is source code, its literals go through an escape of their own
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
