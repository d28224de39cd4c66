//! Parsers of our own, for the languages whose trees took most of the time of an index.
//!
//! tree-sitter's parsers are tables that a general machine runs; a parser written for one language takes a tenth of
//! their time. Each gives the tree that the language's grammar would, its named nodes and their fields, or nothing:
//! what it does not know, or what is wrong, is left to the grammar, which goes on after mistakes. So nothing that
//! reads trees can tell who made them, and a test compares both on real code.

#![allow(dead_code, unused_imports)]

mod nodes;
pub(crate) mod rust;
#[cfg(test)]
mod tests;

pub(crate) use nodes::{Node, Nodes};
