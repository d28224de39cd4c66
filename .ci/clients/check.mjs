// The official TypeScript SDKs against every surface: connect, list, call every tool, over stdio, HTTP and SSE.

import { readFileSync } from "node:fs";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SSEClientTransport as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";

const [groma, url, callsFile] = process.argv.slice(2);
const surfaces = JSON.parse(readFileSync(callsFile, "utf8").replaceAll("$PROJECT", process.cwd()));

async function check(name, Client, transport, calls) {
  const client = new Client({ name: "groma-check", version: "1.0.0" });
  await client.connect(transport);
  const listed = (await client.listTools()).tools.map((tool) => tool.name).sort();
  const wanted = [...new Set(calls.map((call) => call.tool))].sort();
  if (listed.join() !== wanted.join()) {
    throw new Error(`${name}: listed ${listed}, called ${wanted}`);
  }
  for (const { tool, arguments: given, contains, until = "" } of calls) {
    let result, text;
    // One that has to wait for a job is called again until it says so.
    for (let tries = 0; tries < 600; tries++) {
      result = await client.callTool({ name: tool, arguments: given });
      text = result.content.map((block) => block.text).join("\n");
      if (text.includes(until)) break;
      await new Promise((wake) => setTimeout(wake, 100));
    }
    if (result.isError || !text.includes(contains)) {
      throw new Error(`${name}: ${tool} answered ${text}`);
    }
  }
  await client.close();
  console.log(`typescript  ${name}: ${calls.length} calls`);
}

const env = { ...process.env };
for (const [surface, calls] of Object.entries(surfaces)) {
  const args = ["serve-mcp", "--contract", surface, ...(surface === "native" ? ["--all-tools"] : [])];
  const server = { command: groma, args, env, stderr: "ignore" };
  const address = new URL(`${url}/${surface}`);
  const events = new URL(address.href.replace("/mcp/", "/sse/"));
  await check(`${surface} over stdio, 1.x`, Client1, new Stdio1(server), calls);
  await check(`${surface} over HTTP, 1.x`, Client1, new Http1(address), calls);
  await check(`${surface} over SSE, 1.x`, Client1, new Sse1(events), calls);
  await check(`${surface} over stdio, 2.x`, Client2, new Stdio2(server), calls);
  await check(`${surface} over HTTP, 2.x`, Client2, new Http2(address), calls);
}
process.exit(0);
