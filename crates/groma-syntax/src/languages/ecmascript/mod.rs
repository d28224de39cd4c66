//! What JavaScript, TypeScript and the component formats built on them share: most of the query, the lowering and the
//! import resolver.

mod lowering;
mod resolve;

pub(super) use lowering::LOWERING;
pub(super) use resolve::IMPORTS;
