"""The real vv-agent App Server over stdio, with one tool that needs an approval: vv_agent_server.py [MODEL_URL].

Run by the interpreter that has vv-agent. Its model is an OpenAI endpoint at that URL, spoken to by OpenAI's own client;
without one it repeats what it was told. Nothing here touches the server's own protocol code.
"""

import json
import sys

from openai import OpenAI
from vv_agent import Agent, RunConfig
from vv_agent.app_server import AppServer, DefaultAppServerHost, ModelSummary, StdioJsonlTransport
from vv_agent.llm import LLMClient
from vv_agent.model import ScriptedModelProvider
from vv_agent.tools.function import function_tool
from vv_agent.types import LLMResponse, ToolCall


class Parrot(LLMClient):
    """Says what it was told."""

    def complete(self, request):
        return LLMResponse(content=str(request.messages[-1].content))

    def complete_with_stream(self, request, stream_callback=None):
        return self.complete(request)


class Remote(LLMClient):
    """Says what an endpoint answers, piece by piece."""

    def __init__(self, url):
        self.client = OpenAI(base_url=url, api_key="none", max_retries=0)

    def complete(self, request):
        return self.complete_with_stream(request)

    def complete_with_stream(self, request, stream_callback=None):
        messages = [message.to_openai_message() for message in request.messages]
        text, calls = [], {}
        for chunk in self.client.chat.completions.create(model="check", messages=messages, stream=True):
            delta = chunk.choices[0].delta if chunk.choices else None
            if delta and delta.content:
                text.append(delta.content)
                if stream_callback:
                    stream_callback({"event": "assistant_delta", "content_delta": delta.content})
            for call in (delta and delta.tool_calls) or ():
                name, arguments = calls.get(call.index, ("", ""))
                calls[call.index] = name + (call.function.name or ""), arguments + (call.function.arguments or "")
        found = [ToolCall(id=f"call_{i}", name=n, arguments=json.loads(a)) for i, (n, a) in calls.items()]
        return LLMResponse(content="".join(text), tool_calls=found)


@function_tool(name="check", needs_approval=True)
def check(x: int) -> str:
    """Do nothing but be asked for."""
    return f"checked {x}"


def main():
    """Serve until the end of input."""
    llm = Remote(sys.argv[1]) if len(sys.argv) > 1 else Parrot()
    provider = ScriptedModelProvider(backend="scripted", default_model="parrot", llm=llm)
    run_config = RunConfig(model_provider=provider, model="parrot")
    models = [ModelSummary(id="parrot", provider="scripted", supports_tools=True)]
    host = DefaultAppServerHost(
        agent=Agent(name="parrot", instructions="Repeat.", tools=[check]), run_config=run_config, models=models
    )
    AppServer(transport=StdioJsonlTransport(), host=host).run_forever()


if __name__ == "__main__":
    main()
