//! The surfaces, call by call.

mod cocosearch;
mod codecompass;
mod context;
mod cortex;
mod gocontext;
mod members;
mod native;
mod unknown_arguments;

use crate::client::Client;
use crate::sample::Sample;
use serde_json::Value;
use std::collections::BTreeSet;

/// A parameter, and the test that shows its effect.
pub struct Shown {
    pub tool: &'static str,
    /// With dots for a field of an object parameter.
    pub parameter: &'static str,
    pub test: fn(),
}

/// Runs every test, and fails when a parameter the surface accepts has none, or a test is about none.
pub fn every_parameter_is_shown(contract: &str, shown: &[Shown]) {
    let mut client = Client::start(&Sample::new(), &["--contract", contract, "--all-tools"]);
    let listed = client.request("tools/list", serde_json::json!({}));
    let mut accepted = BTreeSet::new();
    for tool in listed["result"]["tools"].as_array().unwrap() {
        collect(tool["name"].as_str().unwrap(), "", &tool["inputSchema"], &mut accepted);
    }
    let tested: BTreeSet<String> =
        shown.iter().map(|one| format!("{}.{}", one.tool, one.parameter)).collect();
    assert_eq!(accepted, tested, "parameters accepted (left) and shown to have an effect (right)");
    for one in shown {
        (one.test)();
    }
}

fn collect(tool: &str, prefix: &str, schema: &Value, found: &mut BTreeSet<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(format!("{tool}.{prefix}{name}"));
        collect(tool, &format!("{prefix}{name}."), property, found);
    }
}
