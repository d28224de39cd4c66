//! Ranking parameters for experiments.

use anyhow::{Context, Result};
use groma_engine::{Ranking, SearchMode};

/// Parameters with a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    title: String,
    pub mode: SearchMode,
    pub ranking: Ranking,
}

impl Variant {
    /// The default parameters with a mode.
    pub fn plain(mode: SearchMode) -> Self {
        Self { title: String::new(), mode, ranking: Ranking::default() }
    }

    /// Changes parameters, each given as `NAME=VALUE`.
    pub fn with<S: AsRef<str>>(mut self, settings: &[S]) -> Result<Self> {
        for setting in settings {
            let setting = setting.as_ref();
            let (name, value) = setting.split_once('=').context("a setting is NAME=VALUE")?;
            if name == "mode" {
                self.mode = value.parse().map_err(anyhow::Error::msg)?;
                continue;
            }
            let value = value.parse().with_context(|| format!("{setting}: not a number"))?;
            self.ranking.set(name, value).map_err(anyhow::Error::msg)?;
        }
        Ok(self)
    }

    /// Parses `title: NAME=VALUE ...` as changes to this variant.
    pub fn parse(&self, text: &str) -> Result<Self> {
        let (title, settings) = text.split_once(':').context("a variant is TITLE: NAME=VALUE")?;
        let settings: Vec<&str> = settings.split_whitespace().collect();
        Self { title: title.to_string(), ..self.clone() }.with(&settings)
    }

    /// The line above its figures; empty for the default parameters.
    pub fn heading(&self) -> String {
        if self.title.is_empty() { String::new() } else { format!("\n# {}\n", self.title) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_changes_what_it_names() {
        let plain = Variant::plain(SearchMode::Hybrid).with(&["coverage=0.5"]).unwrap();
        let other = plain.parse("no tests: mode=keyword tests=1").unwrap();
        assert_eq!((other.mode, other.ranking.tests), (SearchMode::Keyword, 1.0));
        assert_eq!(other.ranking.coverage, 0.5);
        assert_eq!(other.heading(), "\n# no tests\n");
        assert_eq!(plain.heading(), "");
        for wrong in ["tests=1", "a: tests", "a: tests=x", "a: nothing=1", "a: mode=best"] {
            assert!(plain.parse(wrong).is_err(), "{wrong}");
        }
    }
}
