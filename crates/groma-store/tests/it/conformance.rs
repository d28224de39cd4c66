//! Both stores pass the conformance tests.

mod memory {
    use groma_store::MemoryStore;
    groma_testkit::store_conformance!(Box::new(MemoryStore::new(groma_testkit::pipeline())));
}

mod embedded {
    use crate::temporary::Temporary;
    groma_testkit::store_conformance!(Box::new(Temporary::new()));
}
