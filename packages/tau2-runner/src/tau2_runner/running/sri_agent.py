"""SRI-lite as an agent of tau2: its own LLM agent, which looks again before it speaks to the user."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from calibration_probes import Retry
from tau2_runner.running.sri_lite import NAME, SRILite, ToolResult, window

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def install(probe: SRILite) -> None:
    """Makes the agent known to tau2 under its name, in this process."""
    agent_class = _agent_class(probe)

    def create(tools: Any, domain_policy: str, **options: Any) -> Any:
        return agent_class(
            tools=tools, domain_policy=domain_policy, llm=options.get("llm"), llm_args=options.get("llm_args")
        )

    import_module("tau2.registry").registry.register_agent_factory(create, NAME)


def tool_results(messages: Sequence[Any]) -> list[ToolResult]:
    """The results of the agent's calls among a conversation's messages, oldest first."""
    names = {call.id: call.name for message in messages for call in getattr(message, "tool_calls", None) or ()}
    return [
        ToolResult(names.get(message.id, ""), message.content or "") for message in messages if message.role == "tool"
    ]


def without_orphans(messages: Sequence[Any]) -> list[Any]:
    """The messages without results whose call was cut off: servers refuse such a history."""
    return list(_answered(messages))


def merged(dropped: Any, reply: Any) -> Any:
    """The reply of the retry, with what the dropped one cost added to it."""
    costs = [message.cost for message in (dropped, reply) if message.cost is not None]
    usages = [message.usage for message in (dropped, reply) if message.usage is not None]
    usage = {key: sum(each.get(key, 0) for each in usages) for key in {key for each in usages for key in each}}
    return reply.model_copy(update={"cost": sum(costs) if costs else None, "usage": usage or None})


def _answered(messages: Sequence[Any]) -> Iterator[Any]:
    called: set[str] = set()
    for message in messages:
        called.update(call.id for call in getattr(message, "tool_calls", None) or ())
        if message.role != "tool" or message.id in called:
            yield message


def _agent_class(probe: SRILite) -> Any:
    agents = import_module("tau2.agent.llm_agent")
    base: Any = agents.LLMAgent
    user_message: Any = import_module("tau2.data_model.message").UserMessage

    class SRILiteAgent(base):  # type: ignore[misc]  # tau2 is imported late, so that only a run needs it
        """tau2's LLM agent, with one more try where a message holds no call."""

        def _generate_next_message(self, message: Any, state: Any) -> Any:
            reply = super()._generate_next_message(message, state)
            if reply.is_tool_call():
                return reply
            decision = probe.on_halt(tool_results(state.messages))
            if not isinstance(decision, Retry):
                return reply
            state.messages.append(user_message(role="user", content=decision.instruction))
            shown = without_orphans(window(state.messages, probe.messages))
            again = agents.generate(
                model=self.llm,
                tools=self.tools,
                messages=state.system_messages + shown,
                call_name="agent_response",
                **self.llm_args,
            )
            return merged(reply, again)

    return SRILiteAgent
