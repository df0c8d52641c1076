"""The same with the official Python SDK.

  python scenario.py legacy|auto stdio WORKSPACE COMMAND ARGS…
  python scenario.py legacy|auto http WORKSPACE URL
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, PromptReference

mode, kind, workspace, target, *args = sys.argv[1:]


class Lock:
    """Holds the workspace's lock in another process, so that a writer waits."""

    def __enter__(self):
        command = ["flock", f"{workspace}/.hewto/lock", "sh", "-c", "echo held; read _"]
        self.holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        return self

    def release(self):
        if self.holder.poll() is None:
            self.holder.communicate(b"\n")

    def __exit__(self, *_):
        self.release()


async def answer(*_):
    return ElicitResult(action="accept", content={"auth_strategy": "OAuth", "auth_library": "next-auth"})


async def main():
    server = StdioServerParameters(command=target, args=args, cwd=workspace) if kind == "stdio" else target
    told = asyncio.Event()

    async def on_message(message):
        if type(message).__name__ == "ResourceUpdatedNotification":
            told.set()

    options = {"message_handler": on_message} if mode == "legacy" else {}
    async with Client(server, mode=mode, elicitation_callback=answer, **options) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"spec_create", "spec_list", "require_clarification"} <= set(names), names

        made = await client.call_tool("spec_create", {"title": f"By Python {mode} {kind}", "description": "A client was here"})
        assert not made.is_error, made
        spec_id = made.structured_content["spec_id"]

        refused = await client.call_tool("spec_status", {"spec_id": "no-such-spec"})
        assert refused.is_error and json.loads(refused.content[0].text)["error"] == "spec_not_found"
        await fails(client.call_tool("no_such_tool", {}))

        uri = f"airsspec:///{spec_id}/spec"
        assert len((await client.list_resources()).resources) > 2
        assert len((await client.list_resource_templates()).resource_templates) >= 4
        assert "A client was here" in await text(client, uri)
        await fails(client.read_resource("airsspec:///no-such/spec"))

        assert "create_plan" in [prompt.name for prompt in (await client.list_prompts()).prompts]
        prompt = await client.get_prompt("create_plan", {"spec_id": spec_id})
        assert spec_id in prompt.messages[0].content.text

        ref = PromptReference(name="create_plan")
        values = (await client.complete(ref, {"name": "spec_id", "value": spec_id[:-1]})).completion.values
        assert spec_id in values
        unknown = await client.complete(PromptReference(name="no_such"), {"name": "x", "value": ""})
        assert unknown.completion.values == []

        with Lock() as lock:
            reports = []

            async def on_progress(done, total, message):
                reports.append(message)
                lock.release()

            slow = await client.call_tool(
                "spec_update", {"spec_id": spec_id, "description": "Slowly"}, progress_callback=on_progress)
            assert not slow.is_error and reports

        with Lock():
            doomed = asyncio.create_task(
                client.call_tool("spec_update", {"spec_id": spec_id, "description": "Never"}))
            await logged('"Never"')
            doomed.cancel()
            # Before the lock is free: its release could overtake the cancellation.
            await logged('"status":"cancelled"')
        assert "Never" not in await text(client, uri)

        decided = await client.call_tool("require_clarification", {"user_intention": "Add authentication"})
        assert decided.structured_content["status"] == "completed", decided

        spec = Path(workspace) / "specs" / spec_id / "spec.md"
        if mode == "legacy":
            await client.subscribe_resource(uri)
            spec.write_text(spec.read_text() + "\nBy hand.\n")
            await asyncio.wait_for(told.wait(), 60)
        else:
            async with client.listen(resource_subscriptions=[uri]) as news:
                spec.write_text(spec.read_text() + "\nBy hand.\n")
                await asyncio.wait_for(anext(aiter(news)), 60)
    print(f"ok  Python {mode} {kind}")


async def text(client, uri):
    return (await client.read_resource(uri, cache_mode="bypass")).contents[0].text


async def logged(part):
    """Waits until the server has noted this."""
    logs = Path(workspace) / ".hewto/logs"

    async def look():
        while not any(part in log.read_text() for log in logs.glob("*.jsonl")):
            await asyncio.sleep(0.02)

    await asyncio.wait_for(look(), 60)


async def fails(call):
    try:
        await call
    except Exception:
        return
    raise AssertionError("it did not fail")


asyncio.run(main())
