//! A client of an MCP server, whatever connects the two.

use serde_json::{Value, json};
use std::time::Duration;

/// Long enough for a loaded machine; reached only by a test that fails.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A connection to an MCP server: one message on each line.
pub trait Connection {
    /// Sends a line.
    fn send(&mut self, line: &str);

    /// The next message; `None` if the server ended the connection. Panics after [`ANSWER_TIMEOUT`].
    fn receive(&mut self) -> Option<Value>;
}

/// A client of an MCP server.
pub struct Client<C> {
    connection: C,
    next_id: u64,
    /// The messages that were not responses.
    pub notifications: Vec<Value>,
}

impl<C: Connection> Client<C> {
    /// A client that has sent nothing yet.
    pub fn new(connection: C) -> Self {
        Self { connection, next_id: 1, notifications: Vec::new() }
    }

    /// A client after its handshake.
    pub fn connected(connection: C) -> Self {
        let mut client = Self::new(connection);
        let response = client.greet("2025-06-18", json!({}));
        assert!(response["result"]["serverInfo"]["name"].is_string(), "{response}");
        client
    }

    /// The connection.
    pub fn connection(&self) -> &C {
        &self.connection
    }

    /// The connection, without the client.
    pub fn into_connection(self) -> C {
        self.connection
    }

    /// Performs the handshake in a version of the protocol; returns the response.
    pub fn greet(&mut self, version: &str, capabilities: Value) -> Value {
        let response = self.request(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        response
    }

    /// Sends a raw line.
    pub fn send(&mut self, line: &str) {
        self.connection.send(line);
    }

    /// Sends a request without waiting; returns its id.
    pub fn post(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string());
        id
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// The next message of any kind; `None` if the server ended the connection.
    pub fn next_message(&mut self) -> Option<Value> {
        self.connection.receive()
    }

    /// The response to a request. Messages that arrive before it are kept as notifications.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next_message().expect("the server ended the connection");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Sends a request; returns the response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Calls a tool of a server that asks for the client's roots first; returns the response.
    pub fn call_with_root(&mut self, tool: &str, arguments: Value, root: &str) -> Value {
        let id = self.post("tools/call", json!({ "name": tool, "arguments": arguments }));
        let question = self.next_message().expect("the server ended the connection");
        assert_eq!(question["method"], "roots/list", "{question}");
        let roots = json!({ "roots": [{ "uri": format!("file://{root}") }] });
        let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": roots });
        self.send(&reply.to_string());
        self.answer(id)
    }

    /// Calls a tool; returns the response, with `result` or `error`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool; returns the text of the first block.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let response = self.call(tool, arguments);
        let text = response["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {response:#}")).to_string()
    }

    /// Calls a tool; returns the JSON in the first block.
    pub fn json(&mut self, tool: &str, arguments: Value) -> Value {
        let text = self.text(tool, arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Calls a tool that must fail with a protocol error; returns the error.
    pub fn error(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.call(tool, arguments);
        assert!(response.get("error").is_some(), "no error: {response:#}");
        response["error"].clone()
    }
}
