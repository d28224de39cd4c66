//! The arguments of a call, as typed structs.
//!
//! [`arguments!`] declares what a tool takes: one line makes the field, its JSON schema and its check, so a
//! parameter that is not declared cannot be read. Contracts differ in what they check first and in what a wrong value
//! means to them; so a struct can be read as a whole or field by field, and what is wrong is one type,
//! [`ArgumentError`], which each contract words in its own way.

use crate::parameter::{Kind, MAX_TEXT, Parameter, Preset};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// Why an argument was rejected.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentError {
    /// Name of the parameter; with dots for a field of an object.
    pub parameter: String,
    /// What is wrong with it.
    pub problem: Problem,
    /// The kind it is declared as; `None` for an unknown parameter.
    pub kind: Option<Kind>,
    /// The value as it was given.
    pub value: Option<Box<Value>>,
}

/// What can be wrong with an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// It is required and absent.
    Missing,
    /// It has another type.
    WrongType {
        /// The type it must have.
        expected: String,
        /// The type it has.
        found: &'static str,
    },
    /// It has the right type but is out of bounds.
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

impl fmt::Display for ArgumentError {
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

/// The arguments of a tool. Implemented by [`arguments!`] only.
pub trait Arguments: Sized + 'static {
    /// The parameters, in the order of the schema.
    const PARAMETERS: &'static [Parameter];

    /// Reads every field; the first error in the order of the schema. Arguments that are not declared are ignored, as
    /// the schema says.
    fn read(given: &Given) -> Result<Self, ArgumentError>;

    /// The errors of all fields.
    fn errors(given: &Given) -> Vec<ArgumentError>;

    /// The names that are given and not declared.
    fn unknown_names(given: &Given) -> Vec<String> {
        given.unknown(Self::PARAMETERS).map(|error| error.parameter).collect()
    }

    /// Reads the fields of an object parameter. There an unknown name is an error before any wrong value: a filter that
    /// is ignored would be answered with results that it excludes.
    fn read_exactly(given: &Given) -> Result<Self, ArgumentError> {
        given.unknown(Self::PARAMETERS).next().map_or(Ok(()), Err)?;
        Self::read(given)
    }
}

/// Declares the arguments of a tool: `field: Type = parameter` for each, where `parameter` is a [`Param`] of that
/// type. Makes the struct, its [`Arguments`], and one function for each field that reads it alone.
///
/// ```
/// use groma_mcp::arguments;
/// use groma_mcp::arguments::Param;
///
/// arguments! {
///     struct Find {
///         query: String = Param::text_of("query", 1, 100, "What to look for.").required(),
///         limit: usize = Param::count("limit", 1, 20, "How many results.").or(5),
///     }
/// }
///
/// fn results(find: &Find) -> usize {
///     find.limit
/// }
/// ```
///
/// What is not declared cannot be read; the same without the line of `limit` does not compile:
///
/// ```compile_fail,E0609
/// use groma_mcp::arguments;
/// use groma_mcp::arguments::Param;
///
/// arguments! {
///     struct Find {
///         query: String = Param::text_of("query", 1, 100, "What to look for.").required(),
///     }
/// }
///
/// fn results(find: &Find) -> usize {
///     find.limit
/// }
/// ```
///
/// Nor can it be taken from the arguments as the client sent them:
///
/// ```compile_fail,E0616
/// fn limit(given: &groma_mcp::Given) -> Option<u64> {
///     given.values.get("limit")?.as_u64()
/// }
/// ```
#[macro_export]
macro_rules! arguments {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$note:meta])* $field:ident: $type:ty = $parameter:expr,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $($(#[$note])* pub $field: $type,)*
        }

        impl $name {
            $(
                pub fn $field(
                    given: &$crate::arguments::Given,
                ) -> Result<$type, $crate::arguments::ArgumentError> {
                    const PARAMETER: $crate::arguments::Param<$type> = $parameter;
                    given.field(&PARAMETER)
                }
            )*
        }

        impl $crate::arguments::Arguments for $name {
            const PARAMETERS: &'static [$crate::Parameter] = &[$({
                const PARAMETER: $crate::arguments::Param<$type> = $parameter;
                PARAMETER.parameter
            },)*];

            fn read(
                given: &$crate::arguments::Given,
            ) -> Result<Self, $crate::arguments::ArgumentError> {
                let _ = given;
                Ok(Self { $($field: Self::$field(given)?,)* })
            }

            fn errors(
                given: &$crate::arguments::Given,
            ) -> Vec<$crate::arguments::ArgumentError> {
                let _ = given;
                let errors: Vec<Option<$crate::arguments::ArgumentError>> =
                    vec![$(Self::$field(given).err(),)*];
                errors.into_iter().flatten().collect()
            }
        }

        impl $crate::arguments::FromArgument for $name {
            fn from_argument(
                argument: &$crate::arguments::Argument<'_>,
            ) -> Result<Self, $crate::arguments::ArgumentError> {
                <Self as $crate::arguments::Arguments>::read_exactly(&argument.fields()?)
            }
        }
    };
}
pub(crate) use arguments;

/// The arguments of a call as the client sent them. Only a declared field can be read from it.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Name of the enclosing object with a dot, if any.
    prefix: String,
    values: JsonObject,
}

impl From<JsonObject> for Given {
    fn from(values: JsonObject) -> Self {
        Self { prefix: String::new(), values }
    }
}

impl Given {
    /// Reads one field. For [`arguments!`], which knows that it is declared.
    #[doc(hidden)]
    pub fn field<T: FromArgument>(&self, param: &Param<T>) -> Result<T, ArgumentError> {
        let parameter = &param.parameter;
        // Null counts as not given.
        let value = self.values.get(parameter.name).filter(|value| !value.is_null());
        T::from_argument(&Argument { parameter, prefix: &self.prefix, value })
    }

    fn unknown(&self, parameters: &'static [Parameter]) -> impl Iterator<Item = ArgumentError> {
        let known: Vec<&'static str> = parameters.iter().map(|one| one.name).collect();
        let others = self.values.iter().filter(|(name, _)| {
            !parameters.iter().any(|parameter| parameter.name == name.as_str())
        });
        others.map(move |(name, value)| ArgumentError {
            parameter: format!("{}{name}", self.prefix),
            problem: Problem::Unknown { known: known.clone() },
            kind: None,
            value: Some(Box::new(value.clone())),
        })
    }
}

/// One argument, before its check.
pub struct Argument<'a> {
    parameter: &'a Parameter,
    prefix: &'a str,
    value: Option<&'a Value>,
}

impl<'a> Argument<'a> {
    /// The value as it was given, unchecked.
    pub fn unchecked(&self) -> Option<&'a Value> {
        self.value
    }

    /// The value, if it is given and allowed.
    pub fn checked(&self) -> Result<Option<&'a Value>, ArgumentError> {
        let Some(value) = self.value else {
            return if self.parameter.required { Err(self.missing()) } else { Ok(None) };
        };
        self.parameter.kind.check(value).map_err(|problem| self.error(problem))?;
        Ok(Some(value))
    }

    /// The error of a required argument that is absent.
    pub fn missing(&self) -> ArgumentError {
        self.error(Problem::Missing)
    }

    /// The fields of an object, empty when it is not given.
    pub fn fields(&self) -> Result<Given, ArgumentError> {
        let values = self.checked()?.and_then(Value::as_object).cloned().unwrap_or_default();
        Ok(Given { prefix: format!("{}{}.", self.prefix, self.parameter.name), values })
    }

    fn error(&self, problem: Problem) -> ArgumentError {
        ArgumentError {
            parameter: format!("{}{}", self.prefix, self.parameter.name),
            problem,
            kind: Some(self.parameter.kind),
            value: self.value.cloned().map(Box::new),
        }
    }
}

/// The type of a field of [`Arguments`].
pub trait FromArgument: Sized {
    /// Checks an argument and converts it.
    fn from_argument(argument: &Argument<'_>) -> Result<Self, ArgumentError>;
}

impl<T: Scalar> FromArgument for Option<T> {
    fn from_argument(argument: &Argument<'_>) -> Result<Self, ArgumentError> {
        let value = argument.checked()?.and_then(|value| T::convert(value, argument.parameter));
        Ok(value.or_else(|| argument.parameter.default.and_then(T::preset)))
    }
}

impl FromArgument for Vec<String> {
    /// A single text counts as a list of one.
    fn from_argument(argument: &Argument<'_>) -> Result<Self, ArgumentError> {
        Ok(match argument.checked()? {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(texts)) => {
                texts.iter().filter_map(Value::as_str).map(str::to_string).collect()
            }
            _ => Vec::new(),
        })
    }
}

/// An argument and the JSON it was given as.
#[derive(Clone, Debug)]
pub struct Verbatim<T> {
    /// The argument, or its default.
    pub value: T,
    /// As it was given; `None` when it was not.
    pub json: Option<Value>,
}

impl<T: FromArgument> FromArgument for Verbatim<T> {
    fn from_argument(argument: &Argument<'_>) -> Result<Self, ArgumentError> {
        Ok(Self { value: T::from_argument(argument)?, json: argument.value.cloned() })
    }
}

/// An argument that is one JSON value.
pub trait Scalar: Sized {
    /// Converts a value that has passed its check.
    fn convert(value: &Value, parameter: &Parameter) -> Option<Self>;

    /// Converts a default.
    fn preset(preset: Preset) -> Option<Self>;
}

impl Scalar for String {
    fn convert(value: &Value, _: &Parameter) -> Option<Self> {
        value.as_str().map(str::to_string)
    }

    fn preset(_: Preset) -> Option<Self> {
        None
    }
}

/// One of the declared choices.
impl Scalar for &'static str {
    fn convert(value: &Value, parameter: &Parameter) -> Option<Self> {
        let Kind::Choice(choices) = parameter.kind else { return None };
        choices.iter().copied().find(|choice| value.as_str() == Some(choice))
    }

    fn preset(preset: Preset) -> Option<Self> {
        if let Preset::Text(text) = preset { Some(text) } else { None }
    }
}

impl Scalar for i64 {
    fn convert(value: &Value, _: &Parameter) -> Option<Self> {
        whole(value)
    }

    fn preset(preset: Preset) -> Option<Self> {
        if let Preset::Integer(number) = preset { Some(number) } else { None }
    }
}

impl Scalar for usize {
    fn convert(value: &Value, _: &Parameter) -> Option<Self> {
        whole(value).and_then(|number| Self::try_from(number).ok())
    }

    fn preset(preset: Preset) -> Option<Self> {
        i64::preset(preset).and_then(|number| Self::try_from(number).ok())
    }
}

impl Scalar for f64 {
    fn convert(value: &Value, _: &Parameter) -> Option<Self> {
        value.as_f64()
    }

    fn preset(_: Preset) -> Option<Self> {
        None
    }
}

impl Scalar for bool {
    fn convert(value: &Value, _: &Parameter) -> Option<Self> {
        value.as_bool()
    }

    fn preset(preset: Preset) -> Option<Self> {
        if let Preset::Flag(flag) = preset { Some(flag) } else { None }
    }
}

/// Fields that always have a value: a required argument, or one with a default.
macro_rules! always_present {
    ($($type:ty),*) => {$(
        impl FromArgument for $type {
            fn from_argument(argument: &Argument<'_>) -> Result<Self, ArgumentError> {
                Option::<$type>::from_argument(argument)?.ok_or_else(|| argument.missing())
            }
        }
    )*};
}
always_present!(String, &'static str, i64, usize, bool);

/// A parameter whose arguments become values of type `T`. Constants of it are what [`arguments!`] declares.
pub struct Param<T> {
    /// The parameter itself.
    pub parameter: Parameter,
    argument: PhantomData<fn() -> T>,
}

impl<T> Clone for Param<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Param<T> {}

impl<T> Param<T> {
    const fn new(name: &'static str, kind: Kind, description: &'static str) -> Self {
        let parameter =
            Parameter { name, description, kind, required: false, nullable: false, default: None };
        Self { parameter, argument: PhantomData }
    }

    const fn typed<U>(self) -> Param<U> {
        Param { parameter: self.parameter, argument: PhantomData }
    }

    const fn with_default<U>(mut self, default: Preset) -> Param<U> {
        self.parameter.default = Some(default);
        self.typed()
    }

    /// The schema allows null and names it as the default.
    pub const fn nullable(mut self) -> Self {
        self.parameter.nullable = true;
        self.with_default(Preset::Null)
    }

    /// Keeps the JSON that was given beside the value.
    pub const fn verbatim(self) -> Param<Verbatim<T>> {
        self.typed()
    }

    /// The same parameter, checked and converted by another type.
    pub const fn read_as<U: FromArgument>(self) -> Param<U> {
        self.typed()
    }
}

impl<T> Param<Option<T>> {
    /// A parameter that must be given.
    pub const fn required(mut self) -> Param<T> {
        self.parameter.required = true;
        self.typed()
    }
}

impl Param<Option<String>> {
    /// A text.
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self::text_of(name, 0, MAX_TEXT, description)
    }

    /// A text of so many characters.
    pub const fn text_of(
        name: &'static str,
        shortest: usize,
        longest: usize,
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Text { shortest, longest }, description)
    }
}

impl Param<Option<&'static str>> {
    /// One of several texts.
    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Choice(choices), description)
    }

    /// The default.
    pub const fn or(self, default: &'static str) -> Param<&'static str> {
        self.with_default(Preset::Text(default))
    }
}

impl Param<Option<i64>> {
    /// A whole number.
    pub const fn integer(
        name: &'static str,
        least: i64,
        most: i64,
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Integer { least, most }, description)
    }

    /// The default.
    pub const fn or(self, default: i64) -> Param<i64> {
        self.with_default(Preset::Integer(default))
    }
}

impl Param<Option<usize>> {
    /// A whole number that counts something.
    pub const fn count(
        name: &'static str,
        least: u32,
        most: u32,
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Integer { least: least as i64, most: most as i64 }, description)
    }

    /// The default.
    pub const fn or(self, default: u32) -> Param<usize> {
        self.with_default(Preset::Integer(default as i64))
    }
}

impl Param<Option<f64>> {
    /// A number.
    pub const fn number(
        name: &'static str,
        least: f64,
        most: f64,
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Number { least, most }, description)
    }
}

impl Param<Option<bool>> {
    /// True or false.
    pub const fn flag(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Flag, description)
    }

    /// The default.
    pub const fn or(self, default: bool) -> Param<bool> {
        self.with_default(Preset::Flag(default))
    }
}

impl Param<Vec<String>> {
    /// A parameter that must be given.
    pub const fn required(mut self) -> Self {
        self.parameter.required = true;
        self
    }

    /// Any number of texts.
    pub const fn texts(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Texts, description)
    }

    /// One text or any number of them.
    pub const fn text_or_texts(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::TextOrTexts, description)
    }

    /// Any number of several texts.
    pub const fn choices(
        name: &'static str,
        choices: &'static [&'static str],
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Choices(choices), description)
    }
}

impl<A: Arguments> Param<A> {
    /// An object with fields of its own.
    pub const fn object(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Object(A::PARAMETERS), description)
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
            // A whole number past 64 bits is out of bounds, not of another type.
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

    fn allowed(&self) -> String {
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
    use serde_json::json;

    arguments! {
        struct Find {
            query: String = Param::text_of("query", 3, 5, "").required(),
            limit: usize = Param::count("limit", 1, 20, "").or(5),
            kinds: Vec<String> = Param::text_or_texts("kind", ""),
            mode: &'static str = Param::choice("mode", &["fast", "slow"], "").or("fast"),
            filters: Filters = Param::object("filters", ""),
        }
    }

    arguments! {
        struct Filters {
            score: Option<f64> = Param::number("score", 0.0, 1.0, ""),
        }
    }

    fn given(values: Value) -> Given {
        values.as_object().unwrap().clone().into()
    }

    fn error(values: Value) -> String {
        Find::read(&given(values)).unwrap_err().to_string()
    }

    #[test]
    fn defaults_and_forms() {
        let values = json!({
            "query": "four", "limit": 7.0, "kind": "a", "mode": null, "filters": { "score": 1 },
        });
        let find = Find::read(&given(values)).unwrap();
        assert_eq!((find.query.as_str(), find.limit, find.mode), ("four", 7, "fast"));
        assert_eq!((find.kinds, find.filters.score), (vec!["a".to_string()], Some(1.0)));
        let find = Find::read(&given(json!({ "query": "four" }))).unwrap();
        assert_eq!((find.limit, find.filters.score), (5, None));
    }

    #[test]
    fn a_field_can_be_read_before_the_others_are_checked() {
        let given = given(json!({ "limit": 7, "mode": "x", "colour": 1 }));
        assert_eq!(Find::limit(&given), Ok(7));
        assert!(Find::mode(&given).is_err());
    }

    #[test]
    fn all_errors_are_listed() {
        let wrong = Find::errors(&given(json!({ "limit": 0, "mode": "x", "colour": 1 })));
        let names: Vec<_> = wrong.iter().map(|one| one.parameter.as_str()).collect();
        assert_eq!(names, ["query", "limit", "mode"]);
        assert_eq!(Find::errors(&given(json!({ "query": "four" }))), []);
    }

    #[test]
    fn errors_name_the_parameter_and_what_is_allowed() {
        assert_eq!(error(json!({})), "`query` is required");
        assert_eq!(error(json!({ "query": 5 })), "`query` must be a string, not a number");
        assert_eq!(error(json!({ "query": "ab" })), "`query` must be 3 to 5 characters long");
        assert_eq!(error(json!({ "query": "abc", "limit": 21 })), "`limit` must be 1 to 20");
        assert_eq!(error(json!({ "query": "abc", "limit": 1e300 })), "`limit` must be 1 to 20");
        assert_eq!(
            error(json!({ "query": "abc", "limit": 2.5 })),
            "`limit` must be a whole number, not a number"
        );
        assert_eq!(
            error(json!({ "query": "abc", "mode": "x" })),
            "`mode` must be one of fast, slow"
        );
        assert_eq!(
            error(json!({ "query": "abc", "filters": { "score": 2 } })),
            "`filters.score` must be 0 to 1"
        );
        assert_eq!(
            error(json!({ "query": "abc", "filters": { "sc": 2 } })),
            "there is no parameter `filters.sc`; there are score"
        );
        assert_eq!(
            error(json!({ "query": "abc", "kind": [1] })),
            "`kind` must be a string or an array of strings, not an array"
        );
    }
}
