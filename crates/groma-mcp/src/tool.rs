//! What a tool is: its name, what it is for, and the parameters it takes.
//!
//! A parameter is declared once. The schema a client reads and the check its arguments go through are both made
//! from that declaration, so a bound that is shown is a bound that is kept.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// A tool of a surface.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for a model to choose by.
    pub description: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What it does to the world.
    pub effect: Effect,
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes nothing a user would miss.
    Reads,
    /// It adds or refreshes; doing it twice is as doing it once.
    Refreshes,
    /// It adds; doing it twice adds twice.
    Adds,
    /// It removes.
    Removes,
}

/// A parameter of a tool, or a field of an object parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Whether it must be given.
    pub required: bool,
    /// Whether the schema says that null may be given. Null always counts as not given.
    pub nullable: bool,
    /// What it is when it is not given, as the schema shows it.
    pub default: Option<Preset>,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A text of so many characters.
    Text {
        /// At least.
        shortest: usize,
        /// At most.
        longest: usize,
    },
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A whole number between these, both included.
    Integer {
        /// At least.
        least: i64,
        /// At most.
        most: i64,
    },
    /// A number between these, both included.
    Number {
        /// At least.
        least: f64,
        /// At most.
        most: f64,
    },
    /// True or false.
    Flag,
    /// Any number of texts.
    Texts,
    /// One text or any number of them.
    TextOrTexts,
    /// Any number of these texts.
    Choices(&'static [&'static str]),
    /// An object with these fields.
    Object(&'static [Parameter]),
}

/// A default that can be written down in a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    /// A text.
    Text(&'static str),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// Null, for who reads the schema.
    Null,
}

/// The longest text where a tool sets no limit of its own.
pub const LONGEST_TEXT: usize = 10_000;

impl Parameter {
    /// An optional parameter of a kind.
    pub const fn new(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, description, kind, required: false, nullable: false, default: None }
    }

    /// An optional text.
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Text { shortest: 0, longest: LONGEST_TEXT }, description)
    }

    /// An optional whole number.
    pub const fn integer(
        name: &'static str,
        least: i64,
        most: i64,
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Integer { least, most }, description)
    }

    /// An optional flag.
    pub const fn flag(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Flag, description)
    }

    /// It must be given.
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// The schema says that null may be given.
    pub const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// What it is when it is not given.
    pub const fn or(self, default: Preset) -> Self {
        Self { default: Some(default), ..self }
    }

    /// Its schema.
    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if self.nullable {
            nullable(&mut schema);
        }
        schema.insert("description".into(), self.description.into());
        if let Some(default) = self.default {
            schema.insert("default".into(), default.value());
        }
        Value::Object(schema)
    }
}

impl Preset {
    /// As JSON.
    pub fn value(self) -> Value {
        match self {
            Self::Text(text) => text.into(),
            Self::Integer(number) => number.into(),
            Self::Number(number) => number.into(),
            Self::Flag(flag) => flag.into(),
            Self::Null => Value::Null,
        }
    }
}

impl Kind {
    fn schema(&self) -> JsonObject {
        let schema = match self {
            Self::Text { shortest, longest } => bounded("string", |schema| {
                bound(schema, "minLength", *shortest, *shortest > 0);
                bound(schema, "maxLength", *longest, *longest != LONGEST_TEXT);
            }),
            Self::Choice(choices) => json!({ "type": "string", "enum": choices }),
            Self::Integer { least, most } => bounded("integer", |schema| {
                bound(schema, "minimum", *least, *least != i64::MIN);
                bound(schema, "maximum", *most, *most != i64::MAX);
            }),
            Self::Number { least, most } => {
                json!({ "type": "number", "minimum": least, "maximum": most })
            }
            Self::Flag => json!({ "type": "boolean" }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Self::TextOrTexts => json!({ "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" } },
            ] }),
            Self::Choices(choices) => {
                json!({ "type": "array", "items": { "type": "string", "enum": choices } })
            }
            Self::Object(fields) => Value::Object(object_schema(fields)),
        };
        match schema {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        }
    }
}

fn bounded(kind: &str, fill: impl FnOnce(&mut JsonObject)) -> Value {
    let mut schema = JsonObject::new();
    schema.insert("type".into(), kind.into());
    fill(&mut schema);
    Value::Object(schema)
}

fn bound(schema: &mut JsonObject, name: &str, value: impl Into<Value>, is_bound: bool) {
    if is_bound {
        schema.insert(name.into(), value.into());
    }
}

/// Lets null in beside what the schema says.
fn nullable(schema: &mut JsonObject) {
    if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        forms.push(json!({ "type": "null" }));
    } else if let Some(kind) = schema.get("type").cloned() {
        schema.insert("type".into(), json!([kind, "null"]));
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.push(Value::Null);
    }
}

fn object_schema(parameters: &[Parameter]) -> JsonObject {
    let properties: JsonObject =
        parameters.iter().map(|one| (one.name.to_string(), one.schema())).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|one| one.required).map(|one| one.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

impl ToolSpec {
    /// The schema of its arguments.
    pub fn schema(&self) -> JsonObject {
        object_schema(self.parameters)
    }

    /// As the protocol lists it.
    pub fn listed(&self) -> Tool {
        let reads = self.effect == Effect::Reads;
        let hints = ToolAnnotations::new()
            .read_only(reads)
            .destructive(self.effect == Effect::Removes)
            .idempotent(self.effect != Effect::Adds);
        Tool::new(self.name, self.description, self.schema())
            .with_title(self.title)
            .with_annotations(hints)
    }

    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|one| one.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: ToolSpec = ToolSpec {
        name: "find",
        title: "Find",
        description: "Finds things.",
        parameters: &[
            Parameter::new("query", Kind::Text { shortest: 3, longest: 500 }, "What").required(),
            Parameter::integer("limit", 1, 20, "How many").or(Preset::Integer(5)),
            Parameter::text("module", "Where").nullable(),
            Parameter::new("kind", Kind::TextOrTexts, "Which").nullable(),
        ],
        effect: Effect::Reads,
    };

    #[test]
    fn the_schema_shows_every_bound_and_default() {
        let shown = serde_json::to_string_pretty(&TOOL.schema()).unwrap();
        expect_test::expect![[r#"
            {
              "type": "object",
              "properties": {
                "query": {
                  "type": "string",
                  "minLength": 3,
                  "maxLength": 500,
                  "description": "What"
                },
                "limit": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 20,
                  "description": "How many",
                  "default": 5
                },
                "module": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "Where"
                },
                "kind": {
                  "anyOf": [
                    {
                      "type": "string"
                    },
                    {
                      "type": "array",
                      "items": {
                        "type": "string"
                      }
                    },
                    {
                      "type": "null"
                    }
                  ],
                  "description": "Which"
                }
              },
              "required": [
                "query"
              ],
              "additionalProperties": false
            }"#]]
        .assert_eq(&shown);
    }
}
