//! Items: what they define, and the types they declare.

use super::{Field, Kind, Rust};
use crate::lowering::Lowerer;
use crate::signature;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Rust<'t> {
    /// The items of a file or an inline module.
    pub(super) fn items(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.children(lower, node);
    }

    /// Lowers a node if it is an item.
    pub(super) fn item(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> bool {
        match Kind::of(lower, node) {
            Kind::UseDeclaration => {
                let mut children = node.named_children();
                self.is_public = children.any(|one| Kind::of(lower, one) == Kind::Visibility);
                if let Some(tree) = Field::Argument.of(lower, node) {
                    self.use_tree(lower, tree, None);
                }
            }
            Kind::Module => self.module(lower, node),
            Kind::ExternCrate => extern_crate(lower, node),
            Kind::Function | Kind::FunctionSignature => self.function(lower, node),
            Kind::Struct | Kind::Union | Kind::Enum => self.data(lower, node),
            Kind::EnumVariant => self.variant(lower, node),
            Kind::FieldDeclaration | Kind::Const | Kind::Static => self.typed_item(lower, node),
            Kind::TypeItem | Kind::AssociatedType => self.alias(lower, node),
            Kind::Impl => self.implementation(lower, node),
            Kind::Trait => self.trait_item(lower, node),
            Kind::MacroDefinition => self.macro_definition(lower, node),
            Kind::AttributeItem | Kind::InnerAttributeItem => self.attribute(lower, node),
            Kind::OrderedFields => {
                for one in Field::Type.all(lower, node) {
                    self.type_value(lower, one);
                }
            }
            _ => return false,
        }
        true
    }

    /// Items in a block are visible in all of it, before they are defined as well.
    pub(super) fn declare_items(&mut self, lower: &mut Lowerer<'t>, block: Node<'t>) {
        for child in block.named_children() {
            let is_item = matches!(
                Kind::of(lower, child),
                Kind::Function
                    | Kind::Struct
                    | Kind::Enum
                    | Kind::Union
                    | Kind::Trait
                    | Kind::TypeItem
                    | Kind::Const
                    | Kind::Static
            );
            let name = Field::Name.of(lower, child).filter(|_| is_item);
            if let Some(name) = name
                && let Some(symbol) = lower.symbol_named_at(name)
            {
                let symbol = lower.symbol(symbol);
                lower.declare(lower.text_of(name), symbol);
            }
        }
    }

    fn symbol_of(&self, lower: &Lowerer<'t>, node: Node<'t>) -> Option<u32> {
        Field::Name.of(lower, node).and_then(|name| lower.symbol_named_at(name))
    }

    /// One branch of a `use`, below what is before it.
    fn use_tree(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, below: Option<ExpressionId>) {
        lower.nested(node, |lower, node| self.use_branch(lower, node, below));
    }

    fn use_branch(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, below: Option<ExpressionId>) {
        match Kind::of(lower, node) {
            Kind::ScopedUseList => {
                let path = Field::Path.of(lower, node);
                let below = path.map(|path| self.use_path(lower, path, below)).or(below);
                if let Some(list) = Field::List.of(lower, node) {
                    self.use_branch(lower, list, below);
                }
            }
            Kind::UseList => {
                for branch in node.named_children() {
                    self.use_tree(lower, branch, below);
                }
            }
            Kind::UseAs => {
                let path = Field::Path.of(lower, node);
                let meaning = path.map(|path| self.use_path(lower, path, below));
                let alias = Field::Alias.of(lower, node);
                if let (Some(meaning), Some(alias)) = (meaning, alias) {
                    lower.bind(lower.text_of(alias), meaning, node, true);
                }
            }
            Kind::UseWildcard => {
                let path = node.named_children().next();
                let meaning = path.map(|path| self.use_path(lower, path, below)).or(below);
                // Other names are seen by the modules inside, which ask for each by `super`.
                if let Some(meaning) = meaning {
                    lower.bind("*", meaning, node, self.is_public);
                }
            }
            Kind::SelfWord => {
                if let Some(below) = below
                    && let Some(name) = last_name(lower, node)
                {
                    lower.bind(name, below, node, true);
                }
            }
            _ => {
                let meaning = self.use_path(lower, node, below);
                let name = Field::Name.of(lower, node).unwrap_or(node);
                lower.bind(lower.text_of(name), meaning, node, true);
            }
        }
    }

    fn use_path(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        below: Option<ExpressionId>,
    ) -> ExpressionId {
        let Some(below) = below else { return self.path(lower, node, ReferenceKind::Import) };
        match Kind::of(lower, node) {
            Kind::ScopedIdentifier => {
                let outer = Field::Path.of(lower, node);
                let outer = outer.map_or(below, |outer| {
                    lower
                        .nested(outer, |lower, outer| {
                            Some(self.use_path(lower, outer, Some(below)))
                        })
                        .unwrap_or(below)
                });
                match Field::Name.of(lower, node) {
                    Some(name) => self.below(lower, outer, name, ReferenceKind::Import),
                    None => outer,
                }
            }
            _ => self.below(lower, below, node, ReferenceKind::Import),
        }
    }

    fn module(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(name) = Field::Name.of(lower, node) else { return };
        let text = lower.text_of(name);
        let Some(body) = Field::Body.of(lower, node) else {
            if self.modules.is_empty() {
                let module = lower.module(&format!("self::{text}"));
                lower.bind(text, module, node, true);
            }
            return;
        };
        let module = match lower.symbol_named_at(name) {
            Some(symbol) => lower.symbol(symbol),
            None => lower.unknown(),
        };
        self.modules.push(module);
        lower.open();
        self.items(lower, body);
        lower.close();
        self.modules.pop();
    }

    fn function(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let known = self.type_parameters.len();
        self.generics(lower, node);
        lower.open();
        for parameter in
            Field::Parameters.of(lower, node).into_iter().flat_map(Node::named_children)
        {
            match Kind::of(lower, parameter) {
                Kind::SelfParameter => self.self_parameter(lower, parameter),
                Kind::Parameter => self.parameter(lower, parameter),
                _ => {
                    self.node(lower, parameter);
                }
            }
        }
        let result = Field::ReturnType.of(lower, node);
        let result = result.map(|result| self.type_value(lower, result));
        let result = result.unwrap_or_else(|| lower.external());
        if let Some(symbol) = self.symbol_of(lower, node) {
            lower.set_type(symbol, result);
        }
        self.field(lower, node, Field::Body);
        lower.close();
        self.type_parameters.truncate(known);
    }

    fn self_parameter(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.children(lower, node);
        let is = self.selves.last().copied().unwrap_or_else(|| lower.unknown());
        let value = lower.instance(is);
        lower.declare("self", value);
    }

    pub(super) fn parameter(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let value = Field::Type.of(lower, node).map(|one| self.type_value(lower, one));
        let value = value.unwrap_or_else(|| lower.unknown());
        let Some(pattern) = Field::Pattern.of(lower, node) else { return };
        if Kind::of(lower, pattern) == Kind::SelfWord {
            let is = self.selves.last().copied().unwrap_or(value);
            let value = lower.instance(is);
            return lower.declare("self", value);
        }
        self.pattern(lower, pattern, value);
    }

    /// A struct, union or enum.
    fn data(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let known = self.type_parameters.len();
        self.generics(lower, node);
        let symbol = self.symbol_of(lower, node);
        let is = match symbol {
            Some(symbol) => lower.symbol(symbol),
            None => lower.unknown(),
        };
        self.selves.push(is);
        self.field(lower, node, Field::Body);
        self.selves.pop();
        self.type_parameters.truncate(known);
    }

    fn variant(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        if let (Some(symbol), Some(is)) = (self.symbol_of(lower, node), self.selves.last()) {
            let value = lower.instance(*is);
            lower.set_type(symbol, value);
        }
        self.field(lower, node, Field::Body);
        self.field(lower, node, Field::Value);
    }

    /// A field, constant or static: a name, a type, perhaps a value.
    fn typed_item(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let value = Field::Type.of(lower, node).map(|one| self.type_value(lower, one));
        if let (Some(symbol), Some(value)) = (self.symbol_of(lower, node), value) {
            lower.set_type(symbol, value);
        }
        self.field(lower, node, Field::Value);
    }

    fn alias(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let known = self.type_parameters.len();
        self.generics(lower, node);
        if let Some(bounds) = Field::Bounds.of(lower, node) {
            self.type_value(lower, bounds);
        }
        if let Some(one) = Field::Type.of(lower, node) {
            let is = self.aliased(lower, one);
            if let Some(symbol) = self.symbol_of(lower, node) {
                lower.set_type(symbol, is);
            }
        }
        self.type_parameters.truncate(known);
    }

    fn implementation(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let known = self.type_parameters.len();
        self.generics(lower, node);
        let Some(one) = Field::Type.of(lower, node) else { return };
        // `impl Trait for Arc<Cart>` is about carts.
        let is = self.aliased(lower, one);
        if let Some(base) = Field::Trait.of(lower, node) {
            let implementor = signature::one_line(bare(lower, one));
            self.base(lower, base, Some(&implementor));
        }
        self.selves.push(is);
        lower.open();
        self.field(lower, node, Field::Body);
        lower.close();
        self.selves.pop();
        self.type_parameters.truncate(known);
    }

    fn trait_item(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let known = self.type_parameters.len();
        self.generics(lower, node);
        for base in Field::Bounds.of(lower, node).into_iter().flat_map(Node::named_children) {
            self.base(lower, base, None);
        }
        let is = match self.symbol_of(lower, node) {
            Some(symbol) => lower.symbol(symbol),
            None => lower.unknown(),
        };
        self.selves.push(is);
        lower.open();
        self.field(lower, node, Field::Body);
        lower.close();
        self.selves.pop();
        self.type_parameters.truncate(known);
    }

    /// A trait that is implemented or extended.
    fn base(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, implementor: Option<&str>) {
        let before = lower.occurrence_count();
        self.type_name(lower, node, ReferenceKind::Base);
        if let Some(implementor) = implementor {
            lower.set_implementor(before, implementor);
        }
    }

    fn attribute(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(attribute) = node.named_children().next() else { return };
        let Some(name) = attribute.named_children().next() else { return };
        let text = lower.text_of(name);
        if Kind::of(lower, name) == Kind::ScopedIdentifier {
            self.path(lower, name, ReferenceKind::Value);
        }
        // Other arguments are words of their own.
        let derives = text == "derive";
        for child in attribute.named_children().filter(|_| derives) {
            if Kind::of(lower, child) == Kind::TokenTree {
                self.tokens(lower, child);
            }
        }
    }
}

/// The name of the type without its arguments, as far as it has one.
fn bare<'t>(lower: &Lowerer<'t>, node: Node<'t>) -> &'t str {
    let mut node = node;
    loop {
        let inner = match Kind::of(lower, node) {
            Kind::GenericType | Kind::ReferenceType => Field::Type.of(lower, node),
            Kind::ScopedType => Field::Name.of(lower, node),
            Kind::DynamicType => Field::Trait.of(lower, node),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return lower.text_of(node),
        }
    }
}

/// The last name before the braces around a `self`.
fn last_name<'t>(lower: &Lowerer<'t>, node: Node<'t>) -> Option<&'t str> {
    let list = node.parent()?.parent()?;
    let path = Field::Path.of(lower, list)?;
    let name = Field::Name.of(lower, path).unwrap_or(path);
    Some(lower.text_of(name))
}

fn extern_crate<'t>(lower: &mut Lowerer<'t>, node: Node<'t>) {
    let Some(name) = Field::Name.of(lower, node) else { return };
    let module = lower.module(lower.text_of(name));
    lower.refer(name, ReferenceKind::Import, module);
    let alias = Field::Alias.of(lower, node).unwrap_or(name);
    lower.bind(lower.text_of(alias), module, node, true);
}
