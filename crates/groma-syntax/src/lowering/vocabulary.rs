//! Node kinds and fields as enums, so that a lowering compares numbers instead of names.

use super::Lowering;
use tree_sitter::Language as Grammar;

/// For each node kind of a grammar its code in a lowering's enum, and for each field of the lowering its id.
pub(crate) struct Codes {
    kinds: Vec<u8>,
    fields: Vec<u16>,
}

impl Codes {
    /// Looks up the names; an error says which the grammar lacks. Grammars that share a lowering need not have all
    /// kinds, so only a name that none of them has is a mistake, which `known` decides.
    pub fn new(grammar: &Grammar, lowering: &Lowering) -> Self {
        let code = |id: u16| {
            let name = grammar.node_kind_for_id(id).filter(|_| grammar.node_kind_is_named(id));
            let at = name.and_then(|name| lowering.kinds.iter().position(|kind| *kind == name));
            at.map_or(0, |at| at as u8 + 1)
        };
        let field = |name: &&str| grammar.field_id_for_name(name).map_or(0, |id| id.get());
        Self {
            kinds: (0..grammar.node_kind_count() as u16).map(code).collect(),
            fields: lowering.fields.iter().map(field).collect(),
        }
    }

    /// The code of a node kind; 0 for one that the lowering does not name.
    pub fn kind(&self, id: u16) -> u8 {
        self.kinds.get(usize::from(id)).copied().unwrap_or(0)
    }

    /// The id of a field; 0 if the grammar lacks it.
    pub fn field(&self, code: u8) -> u16 {
        self.fields[usize::from(code)]
    }
}

/// Declares the enums `Kind` and `Field` of a lowering, each variant with the grammar's name. `Kind::Other` stands for
/// all kinds that are not listed.
macro_rules! vocabulary {
    (kinds { $($kind:ident = $kind_name:literal,)+ } fields { $($field:ident = $field_name:literal,)+ }) => {
        /// The node kinds that the lowering distinguishes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Kind { Other, $($kind,)+ }

        impl Kind {
            const ALL: &'static [Kind] = &[Kind::Other, $(Kind::$kind,)+];
            const NAMES: &'static [&'static str] = &[$($kind_name,)+];

            fn of(lower: &$crate::lowering::Lowerer<'_>, node: $crate::tree::Node<'_>) -> Self {
                Self::ALL[usize::from(lower.kind_code(node))]
            }
        }

        /// The fields that the lowering asks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        enum Field { $($field,)+ }

        impl Field {
            const NAMES: &'static [&'static str] = &[$($field_name,)+];

            /// The first child with this field.
            #[allow(dead_code, reason = "a lowering may read all children of each field")]
            fn of<'t>(
                self,
                lower: &$crate::lowering::Lowerer<'_>,
                node: $crate::tree::Node<'t>,
            ) -> Option<$crate::tree::Node<'t>> {
                self.all(lower, node).next()
            }

            /// The children with this field.
            fn all<'t>(
                self,
                lower: &$crate::lowering::Lowerer<'_>,
                node: $crate::tree::Node<'t>,
            ) -> impl Iterator<Item = $crate::tree::Node<'t>> + use<'t> {
                let id = lower.field_id(self as u8);
                node.fields(id)
            }
        }
    };
}
pub(crate) use vocabulary;
