//! The arguments of a call, read against what its tool declares.
//!
//! Reading is by name and lazy, because contracts differ in what they check first and in what a wrong value
//! means to them; what is wrong is one type, which each contract words in its own way.

use crate::tool::{Kind, Parameter, Preset, ToolSpec};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::fmt;

/// What is wrong with an argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// Which one; with dots for a field of an object.
    pub parameter: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// It must be given.
    Missing,
    /// It is of another kind.
    WrongType {
        /// What it must be.
        expected: String,
        /// What it is.
        found: &'static str,
    },
    /// It is of the right kind but not allowed.
    NotAllowed {
        /// What is allowed.
        allowed: String,
    },
    /// The tool has no such parameter.
    Unknown {
        /// Those it has.
        known: Vec<&'static str>,
    },
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.parameter;
        match &self.problem {
            Problem::Missing => write!(f, "`{name}` is required"),
            Problem::WrongType { expected, found } => {
                write!(f, "`{name}` must be {expected}, not {found}")
            }
            Problem::NotAllowed { allowed } => write!(f, "`{name}` must be {allowed}"),
            Problem::Unknown { known } if known.is_empty() => {
                write!(f, "there is no parameter `{name}`; this tool takes none")
            }
            Problem::Unknown { known } => {
                write!(f, "there is no parameter `{name}`; there are {}", known.join(", "))
            }
        }
    }
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub struct Arguments {
    parameters: &'static [Parameter],
    prefix: String,
    given: JsonObject,
}

impl Arguments {
    /// The arguments given to a tool.
    pub fn new(tool: &ToolSpec, given: JsonObject) -> Self {
        Self { parameters: tool.parameters, prefix: String::new(), given }
    }

    /// As they were given.
    pub fn given(&self) -> &JsonObject {
        &self.given
    }

    /// Complains about an argument the tool does not know.
    pub fn check_names(&self) -> Result<(), Complaint> {
        let known: Vec<&'static str> = self.parameters.iter().map(|one| one.name).collect();
        match self.given.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(self.complaint(name, Problem::Unknown { known })),
            None => Ok(()),
        }
    }

    /// Complains about every argument that is unknown, missing, of a wrong kind or out of bounds.
    pub fn complaints(&self) -> Vec<Complaint> {
        let known: Vec<&'static str> = self.parameters.iter().map(|one| one.name).collect();
        let unknown = self.given.keys().filter(|name| !known.contains(&name.as_str()));
        let unknown =
            unknown.map(|name| self.complaint(name, Problem::Unknown { known: known.clone() }));
        let wrong = self.parameters.iter().filter_map(|one| self.checked(one.name).err());
        unknown.chain(wrong).collect()
    }

    /// Complains about the first argument that is unknown, missing, of a wrong kind or out of bounds.
    pub fn check(&self) -> Result<(), Complaint> {
        self.check_names()?;
        for parameter in self.parameters {
            self.checked(parameter.name)?;
        }
        Ok(())
    }

    /// A text that must be given.
    pub fn required_text(&self, name: &'static str) -> Result<&str, Complaint> {
        self.text(name)?.ok_or_else(|| self.complaint(name, Problem::Missing))
    }

    /// A text, if given.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, Complaint> {
        let preset = match self.preset(name) {
            Some(Preset::Text(text)) => Some(text),
            _ => None,
        };
        Ok(self.checked(name)?.and_then(Value::as_str).or(preset))
    }

    /// A whole number, or its default.
    pub fn integer(&self, name: &'static str) -> Result<Option<i64>, Complaint> {
        let preset = match self.preset(name) {
            Some(Preset::Integer(number)) => Some(number),
            _ => None,
        };
        Ok(self.checked(name)?.and_then(whole).or(preset))
    }

    /// A whole number that counts something, or its default.
    pub fn count(&self, name: &'static str) -> Result<Option<usize>, Complaint> {
        Ok(self.integer(name)?.and_then(|number| usize::try_from(number).ok()))
    }

    /// A number, or its default.
    pub fn number(&self, name: &'static str) -> Result<Option<f64>, Complaint> {
        let preset = match self.preset(name) {
            Some(Preset::Number(number)) => Some(number),
            _ => None,
        };
        Ok(self.checked(name)?.and_then(Value::as_f64).or(preset))
    }

    /// A flag, if given or declared with a default.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, Complaint> {
        let preset = match self.preset(name) {
            Some(Preset::Flag(flag)) => Some(flag),
            _ => None,
        };
        Ok(self.checked(name)?.and_then(Value::as_bool).or(preset))
    }

    /// Whether a flag is set, by the caller or by default.
    pub fn is_set(&self, name: &'static str) -> Result<bool, Complaint> {
        Ok(self.flag(name)?.unwrap_or(false))
    }

    /// Texts, none when not given. A single text counts as one where the tool allows it.
    pub fn texts(&self, name: &'static str) -> Result<Vec<String>, Complaint> {
        Ok(match self.checked(name)? {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(texts)) => {
                texts.iter().filter_map(Value::as_str).map(str::to_string).collect()
            }
            _ => Vec::new(),
        })
    }

    /// The fields of an object, empty when not given.
    pub fn object(&self, name: &'static str) -> Result<Arguments, Complaint> {
        let fields = match self.parameter(name).map(|one| one.kind) {
            Some(Kind::Object(fields)) => fields,
            _ => &[],
        };
        let given = self.checked(name)?.and_then(Value::as_object).cloned().unwrap_or_default();
        Ok(Self { parameters: fields, prefix: format!("{}{name}.", self.prefix), given })
    }

    /// The value of an argument as it was given; null counts as not given.
    pub fn raw(&self, name: &str) -> Option<&Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    /// A complaint about an argument.
    pub fn complaint(&self, name: &str, problem: Problem) -> Complaint {
        Complaint { parameter: format!("{}{name}", self.prefix), problem }
    }

    fn checked(&self, name: &str) -> Result<Option<&Value>, Complaint> {
        let Some(parameter) = self.parameter(name) else { return Ok(None) };
        let Some(value) = self.raw(name) else {
            let missing = parameter.required.then(|| self.complaint(name, Problem::Missing));
            return missing.map_or(Ok(None), Err);
        };
        parameter.kind.check(value).map_err(|problem| self.complaint(name, problem))?;
        if let Kind::Object(fields) = parameter.kind {
            let given = value.as_object().cloned().unwrap_or_default();
            Self { parameters: fields, prefix: format!("{}{name}.", self.prefix), given }
                .check()?;
        }
        Ok(Some(value))
    }

    /// What a parameter is declared as.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|one| one.name == name)
    }

    fn preset(&self, name: &str) -> Option<Preset> {
        self.parameter(name)?.default
    }
}

impl Kind {
    /// What is wrong with a value of this kind, if anything is.
    fn check(&self, value: &Value) -> Result<(), Problem> {
        if !self.fits(value) {
            return Err(Problem::WrongType { expected: self.wanted(), found: kind_of(value) });
        }
        let is_allowed = match (self, value) {
            (Self::Text { shortest, longest }, Value::String(text)) => {
                (*shortest..=*longest).contains(&text.chars().count())
            }
            (Self::Choice(choices), Value::String(text)) => choices.contains(&text.as_str()),
            (Self::Integer { least, most }, number) => {
                whole(number).is_some_and(|number| (*least..=*most).contains(&number))
            }
            (Self::Number { least, most }, number) => {
                number.as_f64().is_some_and(|number| (*least..=*most).contains(&number))
            }
            (Self::Choices(choices), Value::Array(texts)) => {
                texts.iter().all(|text| text.as_str().is_some_and(|text| choices.contains(&text)))
            }
            _ => true,
        };
        if is_allowed { Ok(()) } else { Err(Problem::NotAllowed { allowed: self.allowed() }) }
    }

    fn fits(&self, value: &Value) -> bool {
        let is_texts = |value: &Value| {
            value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
        };
        match self {
            Self::Text { .. } | Self::Choice(_) => value.is_string(),
            // A whole number past 64 bits is out of bounds, not of another kind.
            Self::Integer { .. } => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Number { .. } => value.is_number(),
            Self::Flag => value.is_boolean(),
            Self::Texts | Self::Choices(_) => is_texts(value),
            Self::TextOrTexts => value.is_string() || is_texts(value),
            Self::Object(_) => value.is_object(),
        }
    }

    fn wanted(&self) -> String {
        match self {
            Self::Text { .. } => "a string".into(),
            Self::Choice(choices) => format!("one of {}", choices.join(", ")),
            Self::Integer { .. } => "a whole number".into(),
            Self::Number { .. } => "a number".into(),
            Self::Flag => "true or false".into(),
            Self::Texts => "an array of strings".into(),
            Self::TextOrTexts => "a string or an array of strings".into(),
            Self::Choices(choices) => format!("an array of {}", choices.join(", ")),
            Self::Object(_) => "an object".into(),
        }
    }

    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        match self {
            Self::Text { shortest: 0, longest } => format!("at most {longest} characters long"),
            Self::Text { shortest, longest } => format!("{shortest} to {longest} characters long"),
            Self::Integer { least: i64::MIN, most: i64::MAX } => "a whole number of 64 bits".into(),
            Self::Integer { least, most: i64::MAX } => format!("{least} or more"),
            Self::Integer { least, most } => format!("{least} to {most}"),
            Self::Number { least, most } => format!("{least} to {most}"),
            other => other.wanted(),
        }
    }
}

/// A whole number, however it is written: 10 and 10.0 are the same to JSON.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let fits = number.fract() == 0.0 && number.abs() < 9e15;
        fits.then_some(number as i64)
    })
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Effect;
    use serde_json::json;

    const TOOL: ToolSpec = ToolSpec {
        name: "find",
        title: "Find",
        description: "Finds things.",
        parameters: &[
            Parameter::new("query", Kind::Text { shortest: 3, longest: 5 }, "").required(),
            Parameter::integer("limit", 1, 20, "").or(Preset::Integer(5)),
            Parameter::new("kind", Kind::TextOrTexts, ""),
            Parameter::new("mode", Kind::Choice(&["fast", "slow"]), "").or(Preset::Text("fast")),
            Parameter::new(
                "filters",
                Kind::Object(&[Parameter::new(
                    "score",
                    Kind::Number { least: 0.0, most: 1.0 },
                    "",
                )]),
                "",
            ),
        ],
        effect: Effect::Reads,
    };

    fn arguments(given: Value) -> Arguments {
        Arguments::new(&TOOL, given.as_object().unwrap().clone())
    }

    fn complaint(given: Value) -> String {
        arguments(given).check().unwrap_err().to_string()
    }

    #[test]
    fn defaults_and_forms() {
        let given = arguments(json!({ "query": "four", "limit": 7.0, "kind": "a", "mode": null }));
        assert_eq!(given.check(), Ok(()));
        assert_eq!(given.integer("limit"), Ok(Some(7)));
        assert_eq!(given.texts("kind"), Ok(vec!["a".to_string()]));
        assert_eq!(given.text("mode"), Ok(Some("fast")));
        assert_eq!(arguments(json!({ "query": "four" })).count("limit"), Ok(Some(5)));
    }

    #[test]
    fn everything_wrong_can_be_asked_for() {
        let wrong = arguments(json!({ "limit": 0, "mode": "x", "colour": 1 })).complaints();
        let names: Vec<_> = wrong.iter().map(|one| one.parameter.as_str()).collect();
        assert_eq!(names, ["colour", "query", "limit", "mode"]);
        assert_eq!(arguments(json!({ "query": "four" })).complaints(), []);
    }

    #[test]
    fn complaints_name_the_parameter_and_what_is_allowed() {
        assert_eq!(complaint(json!({})), "`query` is required");
        assert_eq!(complaint(json!({ "query": 5 })), "`query` must be a string, not a number");
        assert_eq!(complaint(json!({ "query": "ab" })), "`query` must be 3 to 5 characters long");
        assert_eq!(complaint(json!({ "query": "abc", "limit": 21 })), "`limit` must be 1 to 20");
        assert_eq!(complaint(json!({ "query": "abc", "limit": 1e300 })), "`limit` must be 1 to 20");
        assert_eq!(
            complaint(json!({ "query": "abc", "limit": 2.5 })),
            "`limit` must be a whole number, not a number"
        );
        assert_eq!(
            complaint(json!({ "query": "abc", "mode": "x" })),
            "`mode` must be one of fast, slow"
        );
        assert_eq!(
            complaint(json!({ "query": "abc", "filters": { "score": 2 } })),
            "`filters.score` must be 0 to 1"
        );
        assert_eq!(
            complaint(json!({ "query": "abc", "filters": { "sc": 2 } })),
            "there is no parameter `filters.sc`; there are score"
        );
        assert_eq!(
            complaint(json!({ "query": "abc", "kind": [1] })),
            "`kind` must be a string or an array of strings, not an array"
        );
    }
}
