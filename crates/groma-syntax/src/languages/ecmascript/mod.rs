//! What JavaScript, TypeScript and the component formats built on them share: most of the query and the import
//! resolver.

mod resolve;

pub(super) use resolve::IMPORTS;
