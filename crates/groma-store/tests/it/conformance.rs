//! Both stores keep every promise.

mod memory {
    use groma_store::MemoryStore;
    groma_testkit::store_conformance!(Box::new(MemoryStore::new(groma_testkit::pipeline())));
}

mod embedded {
    use crate::place::Temporary;
    groma_testkit::store_conformance!(Box::new(Temporary::new()));
}
