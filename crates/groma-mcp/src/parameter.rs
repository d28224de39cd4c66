//! Parameters of tools: the values they accept, and the schema a client reads.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Maximum length of a text for which a parameter states no other.
pub const MAX_TEXT: usize = 10_000;

/// A parameter of a tool, or a field of an object parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is for; empty if its name says it.
    pub description: &'static str,
    /// The values it accepts.
    pub kind: Kind,
    /// Whether it must be given.
    pub required: bool,
    /// Whether the schema says that null may be given. Null always counts as not given.
    pub nullable: bool,
    /// What it is when it is not given, as the schema shows it.
    pub default: Option<Preset>,
}

/// The values a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// True or false.
    Flag(bool),
    /// Null; only the schema shows it.
    Null,
}

impl Parameter {
    /// Its schema.
    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if self.nullable {
            nullable(&mut schema);
        }
        if !self.description.is_empty() {
            schema.insert("description".into(), self.description.into());
        }
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
                bound(schema, "maxLength", *longest, *longest != MAX_TEXT);
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
            Self::Object(fields) => {
                let mut schema = object_schema(fields);
                schema.insert("additionalProperties".into(), false.into());
                Value::Object(schema)
            }
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

/// Adds null to what a schema accepts.
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

/// The schema of an object with these fields. It allows others, as the arguments of every tool do.
pub fn object_schema(parameters: &[Parameter]) -> JsonObject {
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
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Arguments, Param, arguments};

    arguments! {
        #[expect(dead_code, reason = "only the schema is tested")]
        struct Find {
            query: String = Param::text_of("query", 3, 500, "What").required(),
            limit: usize = Param::count("limit", 1, 20, "How many").or(5),
            module: Option<String> = Param::text("module", "Where").nullable(),
            kinds: Vec<String> = Param::text_or_texts("kind", "Which").nullable(),
        }
    }

    #[test]
    fn the_schema_shows_every_bound_and_default() {
        let shown = serde_json::to_string_pretty(&object_schema(Find::PARAMETERS)).unwrap();
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
                  "description": "Where",
                  "default": null
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
                  "description": "Which",
                  "default": null
                }
              },
              "required": [
                "query"
              ]
            }"#]]
        .assert_eq(&shown);
    }
}
