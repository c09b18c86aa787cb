"""The real vv-agent App Server over stdio, with a model that needs no network.

Run by the interpreter that has vv-agent. The model obeys one word: `say TEXT`; anything else is repeated. Nothing here
touches the server's own protocol code.
"""

from vv_agent import Agent, RunConfig
from vv_agent.app_server import AppServer, DefaultAppServerHost, ModelSummary, StdioJsonlTransport
from vv_agent.llm import LLMClient
from vv_agent.model import ScriptedModelProvider
from vv_agent.types import LLMResponse


class Parrot(LLMClient):
    """Says what it was told."""

    def complete(self, request):
        return LLMResponse(content=str(request.messages[-1].content).removeprefix("say "))

    def complete_with_stream(self, request, stream_callback=None):
        return self.complete(request)


def main():
    """Serve until the end of input."""
    provider = ScriptedModelProvider(backend="scripted", default_model="parrot", llm=Parrot())
    run_config = RunConfig(model_provider=provider, model="parrot")
    models = [ModelSummary(id="parrot", provider="scripted", supports_tools=False)]
    host = DefaultAppServerHost(
        agent=Agent(name="parrot", instructions="Repeat."), run_config=run_config, models=models
    )
    AppServer(transport=StdioJsonlTransport(), host=host).run_forever()


if __name__ == "__main__":
    main()
