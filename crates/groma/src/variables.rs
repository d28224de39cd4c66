//! Environment variables.

use groma_embed::Address;
use std::collections::BTreeMap;
use std::env;
use std::fmt;

/// Environment variables. Some contain keys, so `Debug` shows none.
#[derive(Clone, Default)]
pub struct Variables(BTreeMap<String, String>);

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} variables", self.0.len())
    }
}

impl Variables {
    /// Those of this process.
    pub fn read() -> Self {
        let texts = env::vars_os();
        let texts = texts.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self(texts.collect())
    }

    /// Variables for a test.
    #[cfg(test)]
    pub fn of(pairs: &[(&str, &str)]) -> Self {
        Self(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    /// A variable that is set and not empty.
    pub fn text(&self, name: &str) -> Option<String> {
        self.0
            .get(name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
            .map(String::from)
    }

    /// The proxy for an address, by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; none for local addresses.
    pub fn proxy(&self, address: &Address) -> Option<String> {
        let either = |name: &str| self.text(name).or_else(|| self.text(&name.to_lowercase()));
        let host = address.host.rsplit_once(':').map_or(&*address.host, |(host, _)| host);
        let direct = either("NO_PROXY").unwrap_or_default().to_ascii_lowercase();
        let goes_direct = direct.split(',').map(|entry| entry.trim().trim_start_matches("*."));
        let is_direct = |entry: &str| {
            let entry = entry.trim_start_matches('.');
            entry == "*"
                || entry == host
                || (!entry.is_empty() && host.ends_with(&format!(".{entry}")))
        };
        if address.is_local || goes_direct.into_iter().any(is_direct) {
            return None;
        }
        let scheme = if address.shown.starts_with("https:") { "HTTPS_PROXY" } else { "HTTP_PROXY" };
        either(scheme).or_else(|| either("ALL_PROXY"))
    }
}
