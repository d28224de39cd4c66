//! The compact form of references and of what they mean.
//!
//! Every occurrence of a name that is not local is a reference, so there are more of them than of everything else. Names
//! are written once for each file, and the parts of references one after the other rather than reference by reference:
//! deflate finds more repetition in a column than in rows.

use super::codec::{Decoder, Encoder, damaged};
use groma_core::{
    Binding, Expression, ExpressionId, Links, Reference, ReferenceKind, StoreError, Symbol,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The bits of a reference's head that hold its kind; the others say what is written of it.
const KIND: u8 = 0x07;
const HAS_IMPLEMENTOR: u8 = 0x08;
const HAS_TARGET: u8 = 0x10;
/// It is in the same symbol as the one before.
const SAME_ENCLOSING: u8 = 0x20;
/// Its name is that of its target.
const NAMED_BY_TARGET: u8 = 0x40;

/// The names of a file, each once.
#[derive(Default)]
struct Names<'a> {
    indexes: FxHashMap<&'a str, u64>,
    list: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn index(&mut self, name: &'a str) -> u64 {
        *self.indexes.entry(name).or_insert_with(|| {
            self.list.push(name);
            self.list.len() as u64 - 1
        })
    }
}

/// Writes references and links.
pub(super) fn encode(
    out: &mut Encoder,
    references: &[Reference],
    links: &Links,
    symbols: &[Symbol],
) {
    let mut names = Names::default();
    let mut body = Encoder::default();
    encode_expressions(&mut body, &links.expressions, &mut names);
    encode_references(&mut body, references, links, symbols, &mut names);
    body.list(&links.bindings, |out, binding| {
        out.number(names.index(&binding.name));
        out.number(u64::from(binding.target));
        out.number(u64::from(binding.line) << 1 | u64::from(binding.exported));
    });
    let mut last = 0;
    body.list(&links.types, |out, (symbol, target)| {
        out.number(u64::from(symbol.wrapping_sub(last)));
        last = *symbol;
        out.number(u64::from(*target));
    });
    out.list(&names.list, |out, name| out.text(name));
    out.bytes.extend(body.bytes);
}

fn encode_expressions<'a>(out: &mut Encoder, list: &'a [Expression], names: &mut Names<'a>) {
    let mut at = 0;
    out.list(list, |out, expression| {
        let name = match expression {
            Expression::Name(name) | Expression::Module(name) | Expression::Member(_, name) => {
                Some(names.index(name))
            }
            _ => None,
        };
        out.number(tag(expression));
        match expression {
            Expression::Tuple(items) => out.number(items.len() as u64),
            Expression::Record(members) => {
                out.list(members, |out, symbol| out.number(u64::from(*symbol)));
            }
            Expression::Symbol(number) | Expression::Item(_, number) => {
                out.number(u64::from(*number));
            }
            _ => {}
        }
        // Operands are mostly just before.
        expression.operands().for_each(|operand| out.number(u64::from(at - operand)));
        name.into_iter().for_each(|name| out.number(name));
        at += 1;
    });
}

fn tag(expression: &Expression) -> u64 {
    match expression {
        Expression::Unknown => 0,
        Expression::External => 1,
        Expression::Name(_) => 2,
        Expression::Symbol(_) => 3,
        Expression::Module(_) => 4,
        Expression::Member(..) => 5,
        Expression::Call(_) => 6,
        Expression::Instance(_) => 7,
        Expression::Element(_) => 8,
        Expression::Container(_) => 9,
        Expression::Function(_) => 10,
        Expression::Tuple(_) => 11,
        Expression::Item(..) => 12,
        Expression::Either(..) => 13,
        Expression::Record(_) => 14,
    }
}

fn encode_references<'a>(
    out: &mut Encoder,
    references: &'a [Reference],
    links: &'a Links,
    symbols: &'a [Symbol],
    names: &mut Names<'a>,
) {
    let mut enclosing = None;
    let heads: Vec<u8> = references
        .iter()
        .map(|reference| {
            let same = reference.enclosing == enclosing;
            enclosing = reference.enclosing;
            let named = reference.target.and_then(|target| name_of(links, symbols, target));
            let flag = |set: bool, bit: u8| if set { bit } else { 0 };
            reference.kind.code()
                | flag(reference.implementor.is_some(), HAS_IMPLEMENTOR)
                | flag(reference.target.is_some(), HAS_TARGET)
                | flag(same, SAME_ENCLOSING)
                | flag(named == Some(&*reference.name), NAMED_BY_TARGET)
        })
        .collect();
    out.list(&heads, |out, head| out.bytes.push(*head));
    let mut line = 0;
    for reference in references {
        out.number(u64::from(reference.line.wrapping_sub(line)));
        line = reference.line;
    }
    let mut last = (0, 0);
    for reference in references {
        let from = if reference.line == last.0 { last.1 } else { 0 };
        out.number(u64::from(reference.column.wrapping_sub(from)));
        last = (reference.line, reference.column);
    }
    references.iter().filter_map(|one| one.target).for_each(|target| out.number(u64::from(target)));
    for (reference, head) in references.iter().zip(&heads) {
        if head & SAME_ENCLOSING == 0 {
            out.number(reference.enclosing.map_or(0, |index| u64::from(index) + 1));
        }
        if head & NAMED_BY_TARGET == 0 {
            out.number(names.index(&reference.name));
        }
        reference.implementor.iter().for_each(|implementor| out.text(implementor));
    }
}

/// The name that an expression ends with.
fn name_of<'a>(links: &'a Links, symbols: &'a [Symbol], target: ExpressionId) -> Option<&'a str> {
    match &links.expressions[target as usize] {
        Expression::Name(name) | Expression::Member(_, name) => Some(name),
        Expression::Symbol(index) => symbols.get(*index as usize).map(|symbol| &*symbol.name),
        Expression::Either(first, _) => match &links.expressions[*first as usize] {
            Expression::Member(_, name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Reads references and links, whatever the bytes are.
pub(super) fn decode(
    from: &mut Decoder<'_>,
    symbols: &[Symbol],
) -> Result<(Vec<Reference>, Links), StoreError> {
    let names: Vec<Arc<str>> = from.list(|from| Ok(Arc::from(from.text()?)))?;
    let mut at = 0;
    let expressions = from.list(|from| {
        at += 1;
        decode_expression(from, &names, at - 1, symbols.len() as u32)
    })?;
    let mut links = Links { expressions, ..Links::default() };
    let references = decode_references(from, &links, symbols, &names)?;
    let count = links.expressions.len() as u32;
    links.bindings = from.list(|from| {
        let name = name_at(&names, from.number()?)?;
        let target = below(from.small()?, count)?;
        let line = from.number()?;
        let exported = line & 1 == 1;
        let line = u32::try_from(line >> 1).map_err(|_| damaged("a number is too large"))?;
        Ok(Binding { name, target, line, exported })
    })?;
    let mut last = 0u32;
    links.types = from.list(|from| {
        last = last.wrapping_add(from.small()?);
        Ok((below(last, symbols.len() as u32)?, below(from.small()?, count)?))
    })?;
    Ok((references, links))
}

fn name_at(names: &[Arc<str>], index: u64) -> Result<Arc<str>, StoreError> {
    let name = usize::try_from(index).ok().and_then(|index| names.get(index));
    name.cloned().ok_or_else(|| damaged("a name is missing"))
}

fn below(index: u32, count: u32) -> Result<u32, StoreError> {
    if index < count { Ok(index) } else { Err(damaged("an index points outside of its file")) }
}

fn decode_expression(
    from: &mut Decoder<'_>,
    names: &[Arc<str>],
    at: u32,
    symbols: u32,
) -> Result<Expression, StoreError> {
    let operand = |from: &mut Decoder<'_>| {
        let back = from.small()?;
        at.checked_sub(back).filter(|_| back > 0).ok_or_else(|| damaged("an operand is missing"))
    };
    let name = |from: &mut Decoder<'_>| name_at(names, from.number()?);
    Ok(match from.number()? {
        0 => Expression::Unknown,
        1 => Expression::External,
        2 => Expression::Name(name(from)?),
        3 => Expression::Symbol(below(from.small()?, symbols)?),
        4 => Expression::Module(name(from)?),
        5 => Expression::Member(operand(from)?, name(from)?),
        6 => Expression::Call(operand(from)?),
        7 => Expression::Instance(operand(from)?),
        8 => Expression::Element(operand(from)?),
        9 => Expression::Container(operand(from)?),
        10 => Expression::Function(operand(from)?),
        11 => Expression::Tuple(from.list(operand)?),
        12 => {
            let at = from.small()?;
            Expression::Item(operand(from)?, at)
        }
        13 => Expression::Either(operand(from)?, operand(from)?),
        14 => Expression::Record(from.list(|from| below(from.small()?, symbols))?),
        _ => return Err(damaged("an unknown code")),
    })
}

fn decode_references(
    from: &mut Decoder<'_>,
    links: &Links,
    symbols: &[Symbol],
    names: &[Arc<str>],
) -> Result<Vec<Reference>, StoreError> {
    let heads = from.list(Decoder::raw_byte)?;
    let mut lines = Vec::with_capacity(heads.len());
    let mut line = 0u32;
    for _ in &heads {
        line = line.wrapping_add(from.small()?);
        lines.push(line);
    }
    let mut columns = Vec::with_capacity(heads.len());
    let mut last = (0, 0u32);
    for line in &lines {
        let start = if *line == last.0 { last.1 } else { 0 };
        last = (*line, start.wrapping_add(from.small()?));
        columns.push(last.1);
    }
    let mut targets = Vec::with_capacity(heads.len());
    for head in &heads {
        targets.push(match head & HAS_TARGET {
            0 => None,
            _ => Some(below(from.small()?, links.expressions.len() as u32)?),
        });
    }
    let mut enclosing = None;
    let mut references = Vec::with_capacity(heads.len());
    for (at, head) in heads.iter().enumerate() {
        let kind =
            ReferenceKind::from_code(head & KIND).ok_or_else(|| damaged("an unknown code"))?;
        if head & SAME_ENCLOSING == 0 {
            enclosing = from.small()?.checked_sub(1);
        }
        let name = if head & NAMED_BY_TARGET == 0 {
            name_at(names, from.number()?)?
        } else {
            let name = targets[at].and_then(|target| shared_name(links, symbols, target));
            name.ok_or_else(|| damaged("a name is missing"))?
        };
        let implementor = if head & HAS_IMPLEMENTOR == 0 { None } else { Some(from.string()?) };
        let (line, column, target) = (lines[at], columns[at], targets[at]);
        references.push(Reference { name, kind, line, column, enclosing, implementor, target });
    }
    Ok(references)
}

/// The name that an expression ends with, shared with it where it can be.
fn shared_name(links: &Links, symbols: &[Symbol], target: ExpressionId) -> Option<Arc<str>> {
    match &links.expressions[target as usize] {
        Expression::Name(name) | Expression::Member(_, name) => Some(name.clone()),
        _ => name_of(links, symbols, target).map(Arc::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Vec<Reference>, Links) {
        let expressions = vec![
            Expression::Unknown,
            Expression::External,
            Expression::Name("Cart".into()),
            Expression::Module("shop/cart".into()),
            Expression::Member(3, "Cart".into()),
            Expression::Instance(4),
            Expression::Call(2),
            Expression::Container(5),
            Expression::Element(7),
            Expression::Function(8),
            Expression::Tuple(vec![5, 1]),
            Expression::Item(10, 1),
            Expression::Either(4, 2),
        ];
        let bindings = vec![Binding { name: "*".into(), target: 3, line: 2, exported: true }];
        let links = Links { expressions, bindings, types: Vec::new() };
        let reference = |name: &str, kind, line, column, target| Reference {
            name: name.into(),
            kind,
            line,
            column,
            enclosing: None,
            implementor: (kind == ReferenceKind::Base).then(|| "Basket".to_string()),
            target,
        };
        let references = vec![
            reference("Cart", ReferenceKind::Import, 2, 9, Some(4)),
            reference("cart", ReferenceKind::Base, 3, 5, Some(12)),
            reference("Cart", ReferenceKind::Value, 3, 15, Some(12)),
            reference("total", ReferenceKind::Call, 70_000, 4, None),
        ];
        (references, links)
    }

    #[test]
    fn references_and_their_meaning_are_kept() {
        let (references, links) = sample();
        let mut out = Encoder::default();
        encode(&mut out, &references, &links, &[]);
        let decoded = decode(&mut Decoder::new(&out.bytes), &[]).unwrap();
        assert_eq!(decoded, (references, links));
    }

    #[test]
    fn damaged_bytes_are_an_error_and_never_an_index_out_of_bounds() {
        let (references, links) = sample();
        let mut out = Encoder::default();
        encode(&mut out, &references, &links, &[]);
        for cut in 0..out.bytes.len() {
            assert!(decode(&mut Decoder::new(&out.bytes[..cut]), &[]).is_err(), "{cut}");
            for value in [0, 1, 3, 13, 0x7f, 0xff] {
                let mut bytes = out.bytes.clone();
                bytes[cut] = value;
                let Ok((references, links)) = decode(&mut Decoder::new(&bytes), &[]) else {
                    continue;
                };
                let count = links.expressions.len() as u32;
                let sound = |expression: (u32, &Expression)| {
                    expression.1.operands().all(|operand| operand < expression.0)
                };
                assert!((0..).zip(&links.expressions).all(sound));
                assert!(links.bindings.iter().all(|binding| binding.target < count));
                assert!(
                    references.iter().all(|one| one.target.is_none_or(|target| target < count))
                );
            }
        }
    }
}
