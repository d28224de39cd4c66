//! Every store passes the conformance tests.

mod memory {
    use groma_store::MemoryStore;
    groma_testkit::store_conformance!(Box::new(MemoryStore::new(groma_testkit::pipeline())));
}

mod embedded_in_memory {
    use groma_store::EmbeddedStore;
    groma_testkit::store_conformance!(Box::new(
        EmbeddedStore::in_memory(groma_testkit::pipeline())
    ));
}

mod embedded {
    use crate::temporary::Temporary;
    groma_testkit::store_conformance!(Box::new(Temporary::new()));
}
