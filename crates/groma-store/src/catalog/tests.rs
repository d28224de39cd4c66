//! What a catalog guarantees: records, names, sub-indexes and removal.

use super::*;
use groma_core::{Manifest, RefName, StoreError, VectorSource};
use std::path::PathBuf;
use tempfile::TempDir;

const PIPELINE: Pipeline = Pipeline { version: 1, embedder: None };

fn catalog() -> (TempDir, EmbeddedCatalog) {
    let data = TempDir::new().unwrap();
    let catalog = EmbeddedCatalog::new(data.path());
    (data, catalog)
}

fn own_index(catalog: &EmbeddedCatalog, root: &Path) -> IndexId {
    let project = catalog.resolve(root);
    IndexId { project, sub_index: None, vectors: VectorSource::BuiltIn }
}

/// Opens an index and commits an empty generation to it.
fn commit(catalog: &EmbeddedCatalog, index: &IndexId) -> Arc<dyn Store> {
    let store = catalog.open(index, &PIPELINE, &OpenOptions::default()).unwrap();
    let manifest = Manifest::default();
    store.writer().unwrap().commit(&RefName::live(), &manifest).unwrap();
    store
}

fn roots(catalog: &EmbeddedCatalog) -> Vec<PathBuf> {
    catalog.list().unwrap().into_iter().map(|record| record.root).collect()
}

fn definition(name: &str) -> SubIndex {
    SubIndex {
        name: name.into(),
        languages: vec!["go".into()],
        vendored: true,
        exclude: vec!["*.pb.go".into()],
    }
}

#[test]
fn an_empty_catalog_creates_no_file() {
    let (data, catalog) = catalog();
    let id = catalog.resolve(Path::new("/one/app"));
    assert_eq!(catalog.list().unwrap(), []);
    assert_eq!(catalog.indexes(&id), []);
    assert!(catalog.find(&id).is_none() && !catalog.is_indexed(&id));
    assert_eq!(catalog.remove(&id).unwrap(), 0);
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
}

#[test]
fn projects_are_recorded_once_and_listed_by_root() {
    let (_data, catalog) = catalog();
    for root in ["/two/app", "/one/app"].map(Path::new) {
        commit(&catalog, &own_index(&catalog, root));
        catalog.create(root).unwrap();
    }
    assert_eq!(roots(&catalog), [Path::new("/one/app"), Path::new("/two/app")]);
    let id = catalog.resolve(Path::new("/one/app"));
    let record = catalog.find(&id).unwrap();
    catalog.create(Path::new("/one/app")).unwrap();
    assert_eq!(catalog.find(&id), Some(record));
}

#[test]
fn a_broken_record_counts_as_none() {
    let (_data, catalog) = catalog();
    let root = Path::new("/one/app");
    commit(&catalog, &own_index(&catalog, root));
    let id = catalog.resolve(root);
    fs::write(catalog.layout.project(&id, None).join(layout::RECORD), "{ broken").unwrap();
    assert!(catalog.find(&id).is_none());
    assert_eq!(catalog.list().unwrap(), []);
}

#[test]
fn names_are_computed_from_all_records() {
    let (_data, catalog) = catalog();
    let (one, two) = (Path::new("/one/app"), Path::new("/two/app"));
    for root in [one, two] {
        commit(&catalog, &own_index(&catalog, root));
        catalog.create(root).unwrap();
    }
    catalog.rename(one, &mut |_, _| Some(vec!["first".into()])).unwrap();
    catalog
        .rename(two, &mut |own, all| {
            assert!(own.is_empty());
            assert_eq!(all.iter().map(|record| record.names.len()).sum::<usize>(), 1);
            None
        })
        .unwrap();
    let names = |root: &Path| catalog.find(&catalog.resolve(root)).unwrap().names;
    assert_eq!((names(one), names(two)), (vec!["first".to_string()], vec![]));
}

#[test]
fn concurrent_renames_lose_no_name() {
    let (_data, catalog) = catalog();
    let root = Path::new("/one/app");
    commit(&catalog, &own_index(&catalog, root));
    std::thread::scope(|scope| {
        for thread in ["a", "b"] {
            let catalog = &catalog;
            scope.spawn(move || {
                for number in 0..20 {
                    let add = |own: &[String]| [own, &[format!("{thread}{number}")]].concat();
                    catalog.rename(root, &mut |own, _| Some(add(own))).unwrap();
                }
            });
        }
    });
    assert_eq!(catalog.find(&catalog.resolve(root)).unwrap().names.len(), 40);
}

#[test]
fn an_index_that_was_only_opened_is_not_indexed() {
    let (_data, catalog) = catalog();
    let index = own_index(&catalog, Path::new("/one/app"));
    catalog.open(&index, &PIPELINE, &OpenOptions::default()).unwrap();
    assert_eq!(catalog.indexes(&index.project), std::slice::from_ref(&index));
    assert!(!catalog.is_indexed(&index.project));
}

#[test]
fn a_project_with_sub_indexes_only_is_listed() {
    let (_data, catalog) = catalog();
    let root = Path::new("/one/app");
    let index = IndexId { sub_index: Some("go".into()), ..own_index(&catalog, root) };
    commit(&catalog, &index);
    catalog.define_sub_index(root, &definition("go")).unwrap();
    assert_eq!(roots(&catalog), [root]);
    assert_eq!(catalog.indexes(&index.project), std::slice::from_ref(&index));
    assert_eq!(catalog.sub_index(&index.project, "go"), Some(definition("go")));
    assert_eq!(catalog.sub_index(&index.project, "rust"), None);
}

#[test]
fn removing_deletes_indexes_and_records_and_keeps_the_notebook() {
    let (_data, catalog) = catalog();
    let root = Path::new("/one/app");
    let index = own_index(&catalog, root);
    let sub_index = IndexId { sub_index: Some("go".into()), ..index.clone() };
    let service = IndexId { vectors: VectorSource::Service, ..index.clone() };
    for index in [&index, &sub_index, &service] {
        commit(&catalog, index);
    }
    catalog.create(root).unwrap();
    catalog.define_sub_index(root, &definition("go")).unwrap();
    let notebook = catalog.notebook(&index.project, None);
    let path = groma_core::RelPath::new("src/main.rs").unwrap();
    notebook.record_accesses(std::time::SystemTime::now(), &[path]).unwrap();
    assert_eq!(catalog.indexes(&index.project).len(), 3);
    assert!(catalog.size(&index.project) > 0);
    assert!(catalog.remove(&index.project).unwrap() > 0);
    assert_eq!(catalog.indexes(&index.project), []);
    assert_eq!(catalog.list().unwrap(), []);
    assert_eq!(catalog.notebook(&index.project, None).accesses().unwrap().len(), 1);
}

#[test]
fn a_damaged_index_is_replaced_on_request_and_can_be_removed() {
    let (_data, catalog) = catalog();
    let root = Path::new("/one/app");
    let index = own_index(&catalog, root);
    drop(commit(&catalog, &index));
    let folder = catalog.layout.index(&index);
    let spoil = || {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.ends_with(".db") {
                fs::write(entry.path(), "garbage".repeat(1000)).unwrap();
            }
        }
    };
    spoil();
    let plain = catalog.open(&index, &PIPELINE, &OpenOptions::default());
    let is_damaged = |error: &StoreError| error.is(StoreErrorKind::Damaged);
    assert!(matches!(plain, Err(CatalogError::Open { source, .. }) if is_damaged(&source)));
    let replace = OpenOptions { replace_damaged: true, ..OpenOptions::default() };
    let store = catalog.open(&index, &PIPELINE, &replace).unwrap();
    assert!(is_damaged(&store.generation(&RefName::live()).unwrap_err()));
    store.clear().unwrap();
    assert_eq!(store.generation(&RefName::live()).unwrap(), None);
    drop(store);
    spoil();
    catalog.remove(&index.project).unwrap();
    assert_eq!(catalog.indexes(&index.project), []);
}

#[test]
fn verification_finds_damage() {
    let (_data, catalog) = catalog();
    let index = own_index(&catalog, Path::new("/one/app"));
    drop(commit(&catalog, &index));
    catalog.verify(&index, &PIPELINE).unwrap();
    assert_eq!(catalog.holders(&index.project).unwrap(), []);
    let database = catalog.layout.index(&index).join("index.db");
    let length = fs::metadata(&database).unwrap().len();
    File::options().write(true).open(&database).unwrap().set_len(length / 2).unwrap();
    assert!(catalog.verify(&index, &PIPELINE).is_err());
}
