"""The official Python SDK against every surface: connect, list, call every tool, over stdio and HTTP."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def ask(client, call):
    """Calls a tool; one that has to wait for a job is called again until it says so."""
    for _ in range(600):
        result = await client.call_tool(call["tool"], call["arguments"])
        text = "\n".join(block.text for block in result.content)
        if call.get("until", "") in text:
            break
        await asyncio.sleep(0.1)
    return result, text


async def check(name, server, calls, mode):
    async with Client(server, mode=mode, read_timeout_seconds=120) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        wanted = {call["tool"] for call in calls}
        assert listed == wanted, f"{name}: tools {listed ^ wanted} are not called or not there"
        for call in calls:
            result, text = await ask(client, call)
            assert not result.is_error, f"{name}: {call['tool']} failed: {text}"
            assert call["contains"] in text, f"{name}: {call['tool']} answered {text}"
        version = client.protocol_version
    print(f"python  {name}: {len(calls)} calls, {version}")


async def main():
    groma, url, calls = sys.argv[1:]
    with open(calls) as file:
        surfaces = json.load(file)
    folder = os.getcwd()
    for surface, calls in surfaces.items():
        calls = json.loads(json.dumps(calls).replace("$PROJECT", folder))
        stdio = StdioServerParameters(
            command=groma,
            args=["serve-mcp", "--contract", surface, *(["--all-tools"] if surface == "native" else [])],
            env={**os.environ},
        )
        # The stateless revision, and the handshake of older clients.
        for mode in ["auto", "legacy"]:
            await check(f"{surface} over stdio", stdio, calls, mode)
            await check(f"{surface} over HTTP", f"{url}/{surface}", calls, mode)


asyncio.run(main())
