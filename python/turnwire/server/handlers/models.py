"""model/list (MODEL-1)."""

import logging

from msgspec import UNSET

from turnwire.errors import host_error, not_found
from turnwire.server.call import Call, Handler
from turnwire.server.host import HostError
from turnwire.wire import ModelListParams, ModelListResult

__all__ = ["HANDLERS"]

_log = logging.getLogger("turnwire.server")


async def model_list(call: Call) -> ModelListResult:
    params: ModelListParams = call.params
    host = call.state.host
    agent = None if params.agent is UNSET else params.agent
    if agent is not None and all(known.id != agent for known in host.agents()):
        raise not_found("agent", agent)
    try:
        return ModelListResult(data=list(await host.list_models(agent)))
    except HostError as error:
        raise host_error(str(error), host_code=error.code) from error
    except Exception as error:
        # The host is foreign code, and its fault is an answer of the protocol, not of the server.
        _log.exception("the host could not list its models")
        raise host_error(f"{error}" if host.expose_errors else "The host failed.") from error


HANDLERS: dict[str, Handler] = {"model/list": model_list}
