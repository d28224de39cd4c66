//! Evaluates expressions: calls, values of types, elements and members.

use super::Linker;
use super::files::FileId;
use super::value::{Definition, Value};
use groma_core::{Expression, ExpressionId, ReferenceKind, StoreError, SymbolKind};
use std::sync::Arc;

/// Deepest evaluation, over all files; what lies deeper is unknown.
const MAX_DEPTH: u32 = 100;

/// Most look-ups of one request; what is left is unknown. Modules that export all of each other ask for more than any
/// reader waits for.
const MAX_STEPS: u32 = 2_000_000;

impl Linker<'_> {
    /// What an expression of a file means.
    pub fn evaluate(
        &mut self,
        file: FileId,
        expression: ExpressionId,
    ) -> Result<Value, StoreError> {
        if let Some(known) = self.known.get(&(file, expression)) {
            return Ok(known.clone());
        }
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            return Ok(Value::Unknown);
        }
        self.steps += 1;
        self.known.insert((file, expression), Value::Unknown);
        self.depth += 1;
        let value = self.evaluate_new(file, expression);
        self.depth -= 1;
        let value = value?;
        self.known.insert((file, expression), value.clone());
        Ok(value)
    }

    fn evaluate_new(
        &mut self,
        file: FileId,
        expression: ExpressionId,
    ) -> Result<Value, StoreError> {
        let facts = self.files.facts(file)?;
        let Some(expression) = facts.links.expressions.get(expression as usize) else {
            return Ok(Value::Unknown);
        };
        match expression {
            Expression::Unknown => Ok(Value::Unknown),
            Expression::External => Ok(Value::External),
            Expression::Symbol(symbol) => {
                Ok(Value::Definition(Definition { file, symbol: *symbol }))
            }
            Expression::Name(name) => self.name(file, name),
            Expression::Module(path) => self.module(file, path),
            Expression::Member(of, name) => {
                let of = self.evaluate(file, *of)?;
                self.member(of, name)
            }
            Expression::Call(of) => {
                let of = self.evaluate(file, *of)?;
                self.call(of)
            }
            Expression::Instance(of) => {
                let of = self.evaluate(file, *of)?;
                self.instance(of)
            }
            Expression::Element(of) => {
                let of = self.evaluate(file, *of)?;
                self.element(of)
            }
            Expression::Container(of) => Ok(Value::Container(file, *of)),
            Expression::Function(of) => Ok(Value::Function(file, *of)),
            Expression::Tuple(items) => Ok(Value::Tuple(file, items.clone())),
            Expression::Record(members) => Ok(Value::Record(file, members.clone())),
            Expression::Item(of, at) => {
                let of = self.evaluate(file, *of)?;
                self.item(of, *at)
            }
            Expression::Either(first, second) => self.either(file, *first, *second),
        }
    }

    fn either(
        &mut self,
        file: FileId,
        first: ExpressionId,
        second: ExpressionId,
    ) -> Result<Value, StoreError> {
        let value = self.evaluate(file, first)?;
        // A module without files is only a name that something else may have.
        let is_empty = matches!(&value, Value::Module(module) if module.files.is_empty());
        if value.is_found() && !is_empty {
            return Ok(value);
        }
        let other = self.evaluate(file, second)?;
        match value {
            // It may be either; only if the other is nothing of the project, nothing is lost.
            Value::Unknown => Ok(Value::Unknown),
            Value::External | Value::Module(_) => {
                let is_empty = matches!(&other, Value::Module(module) if module.files.is_empty());
                Ok(if other.is_found() && !is_empty { other } else { Value::External })
            }
            _ if other.is_found() => Ok(other),
            Value::Inherited => Ok(Value::Inherited),
            _ => Ok(other),
        }
    }

    /// The type of a definition: what its file says a call of it gives, its value is or it stands for.
    fn type_of(&mut self, of: Definition) -> Result<Option<Value>, StoreError> {
        let facts = self.files.facts(of.file)?;
        match facts.links.type_of(of.symbol) {
            Some(expression) => self.evaluate(of.file, expression).map(Some),
            None => Ok(None),
        }
    }

    fn kind(&mut self, of: Definition) -> Result<SymbolKind, StoreError> {
        Ok(self.files.facts(of.file)?.symbols[of.symbol as usize].kind)
    }

    fn parent(&mut self, of: Definition) -> Result<Option<Definition>, StoreError> {
        let facts = self.files.facts(of.file)?;
        let parent = facts.symbols[of.symbol as usize].parent;
        Ok(parent.map(|symbol| Definition { file: of.file, symbol }))
    }

    fn call(&mut self, of: Value) -> Result<Value, StoreError> {
        Ok(match of {
            Value::Definition(of) => match self.kind(of)? {
                SymbolKind::Constructor | SymbolKind::Variant => match self.parent(of)? {
                    Some(parent) => Value::Instance(parent),
                    None => Value::Unknown,
                },
                kind if kind.is_callable() => self.type_of(of)?.unwrap_or(Value::Unknown),
                kind if kind.is_type() => Value::Instance(of),
                _ => match self.type_of(of)? {
                    Some(value) => return self.call_value(value),
                    None => Value::Unknown,
                },
            },
            other => return self.call_value(other),
        })
    }

    /// What a call of a value gives.
    fn call_value(&mut self, of: Value) -> Result<Value, StoreError> {
        Ok(match of {
            Value::Function(file, result) => self.evaluate(file, result)?,
            // A named type of functions.
            Value::Instance(of) => match self.type_of(of)? {
                Some(Value::Function(file, result)) => self.evaluate(file, result)?,
                _ => Value::Unknown,
            },
            Value::Definition(of) if self.kind(of)?.is_type() => Value::Instance(of),
            Value::Definition(of) if self.kind(of)?.is_callable() => {
                self.type_of(of)?.unwrap_or(Value::Unknown)
            }
            Value::External | Value::Inherited => Value::External,
            Value::Missing => Value::Missing,
            _ => Value::Unknown,
        })
    }

    fn instance(&mut self, of: Value) -> Result<Value, StoreError> {
        Ok(match of {
            Value::Definition(of) => match self.kind(of)? {
                kind if kind.is_type() => Value::Instance(of),
                SymbolKind::Variant => match self.parent(of)? {
                    Some(parent) => Value::Instance(parent),
                    None => Value::Instance(of),
                },
                // A function that is called with `new`.
                kind if kind.is_callable() => Value::Instance(of),
                _ => match self.type_of(of)? {
                    Some(Value::Definition(of)) if self.kind(of)?.is_type() => Value::Instance(of),
                    Some(Value::External) => Value::External,
                    // A variable that holds a type, or a name that was given to one.
                    Some(value @ Value::Instance(_)) => value,
                    _ => Value::Unknown,
                },
            },
            Value::Module(_) | Value::Missing => Value::Unknown,
            Value::Inherited => Value::External,
            other => other,
        })
    }

    fn element(&mut self, of: Value) -> Result<Value, StoreError> {
        Ok(match of {
            Value::Container(file, element) => self.evaluate(file, element)?,
            Value::Instance(of) => match self.type_of(of)? {
                Some(Value::Container(file, element)) => self.evaluate(file, element)?,
                Some(Value::External) => Value::External,
                Some(value @ (Value::Instance(_) | Value::Definition(_))) => {
                    return self.bounded(|linker| linker.element(value));
                }
                _ => Value::Unknown,
            },
            Value::Definition(of) => {
                let kind = self.kind(of)?;
                // Type arguments in brackets.
                if kind.is_callable() || kind.is_type() {
                    return Ok(Value::Definition(of));
                }
                match self.type_of(of)? {
                    Some(value) => return self.bounded(|linker| linker.element(value)),
                    None => Value::Unknown,
                }
            }
            Value::External | Value::Inherited => Value::External,
            _ => Value::Unknown,
        })
    }

    fn item(&mut self, of: Value, at: u32) -> Result<Value, StoreError> {
        Ok(match of {
            Value::Tuple(file, items) => match items.get(at as usize) {
                Some(item) => self.evaluate(file, *item)?,
                None => Value::Unknown,
            },
            Value::Definition(of) if self.kind(of)?.is_value() => match self.type_of(of)? {
                Some(value) => return self.bounded(|linker| linker.item(value, at)),
                None => Value::Unknown,
            },
            Value::External | Value::Inherited => Value::External,
            other if at == 0 => other,
            _ => Value::Unknown,
        })
    }

    /// One step deeper, or unknown.
    fn bounded(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<Value, StoreError>,
    ) -> Result<Value, StoreError> {
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            return Ok(Value::Unknown);
        }
        self.steps += 1;
        self.depth += 1;
        let value = step(self);
        self.depth -= 1;
        value
    }

    /// A member of a value, a type or a module.
    pub(super) fn member(&mut self, of: Value, name: &Arc<str>) -> Result<Value, StoreError> {
        match of {
            Value::Definition(of) | Value::Instance(of) => {
                self.bounded(|linker| linker.member_of(of, name))
            }
            Value::Module(module) => self.bounded(|linker| linker.module_member(&module, name)),
            Value::Record(file, members) => {
                let facts = self.files.facts(file)?;
                let named = |index: &&u32| *facts.symbols[**index as usize].name == **name;
                Ok(match members.iter().find(named) {
                    Some(symbol) => Value::Definition(Definition { file, symbol: *symbol }),
                    None => Value::Missing,
                })
            }
            Value::Unknown | Value::Missing => Ok(Value::Unknown),
            _ => Ok(Value::External),
        }
    }

    /// A member of a definition: its own, then those of its bases, then those of its type.
    fn member_of(&mut self, of: Definition, name: &Arc<str>) -> Result<Value, StoreError> {
        let key = (of, name.clone());
        if let Some(known) = self.members.get(&key) {
            return Ok(known.clone());
        }
        self.members.insert(key.clone(), Value::Missing);
        let found = self.find_member(of, name)?;
        self.members.insert(key, found.clone());
        Ok(found)
    }

    fn find_member(&mut self, of: Definition, name: &Arc<str>) -> Result<Value, StoreError> {
        if let Some(own) = self.own_member(of, name)? {
            return Ok(Value::Definition(own));
        }
        let facts = self.files.facts(of.file)?;
        let symbol = &facts.symbols[of.symbol as usize];
        let kind = symbol.kind;
        if kind == SymbolKind::Module {
            // What a module inside of a file imports is listed with what the file imports.
            return self.exported_by(of.file, name);
        }
        let embeds = self.files.language(of.file)?.structural_interfaces;
        let mut fallback = Value::Missing;
        let is_base = |reference: &&groma_core::Reference| {
            reference.kind == ReferenceKind::Base
                && match &reference.implementor {
                    Some(implementor) => *implementor == symbol.name,
                    None => reference.enclosing == Some(of.symbol),
                }
        };
        for reference in facts.references.iter().filter(is_base) {
            let Some(target) = reference.target else {
                fallback = Value::Unknown;
                continue;
            };
            let base = self.evaluate(of.file, target)?;
            // An embedded type is a field with the name of the type.
            if embeds && reference.name == *name && reference.implementor.is_none() {
                return self.instance(base);
            }
            match self.member(base, name)? {
                found if found.is_found() => return Ok(found),
                Value::Unknown => fallback = Value::Unknown,
                Value::External | Value::Inherited if matches!(fallback, Value::Missing) => {
                    fallback = Value::Inherited;
                }
                _ => {}
            }
        }
        if kind.is_callable() && kind != SymbolKind::Constructor {
            return Ok(fallback);
        }
        match self.type_of(of)? {
            Some(Value::Definition(same) | Value::Instance(same)) if same == of => {
                match self.tagged(of)? {
                    Some(tagged) => self.bounded(|linker| linker.member_of(tagged, name)),
                    None => Ok(fallback),
                }
            }
            Some(value) => match self.member(value, name)? {
                Value::Missing | Value::Inherited => Ok(fallback),
                found => Ok(found),
            },
            None if kind.is_value() => Ok(Value::Unknown),
            None => Ok(fallback),
        }
    }
}
