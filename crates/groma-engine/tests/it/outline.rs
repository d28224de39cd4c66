//! What a file holds, and which files it imports.

use groma_core::RelPath;
use groma_engine::Cancel;
use groma_testkit::Sandbox;

#[test]
fn imports_lead_to_files_of_the_project_and_follow_changes() {
    let project = Sandbox::new("");
    project.write("go.mod", "module example.com/shop\n");
    project.write("auth/jwt.go", "package auth\n\nfunc Verify() {}\n");
    project.write(
        "main.go",
        "package main\n\nimport (\n\t\"fmt\"\n\t\"example.com/shop/auth\"\n)\n\nfunc main() { fmt.Println(auth.Verify()) }\n",
    );
    let files = || {
        let path = RelPath::new("main.go").unwrap();
        let outline = project.engine().outline(&path, &(), &Cancel::default()).unwrap().unwrap();
        assert!(outline.facts.symbols.iter().any(|symbol| symbol.name == "main"));
        let files = outline.imports.iter().map(|resolved| {
            let files: Vec<_> = resolved.files.iter().map(RelPath::as_str).collect();
            format!("{} {}", resolved.import.path, files.join(","))
        });
        files.collect::<Vec<_>>()
    };
    assert_eq!(files(), ["fmt ", "example.com/shop/auth auth/jwt.go"]);
    project.write("auth/keys.go", "package auth\n");
    assert_eq!(files(), ["fmt ", "example.com/shop/auth auth/jwt.go,auth/keys.go"]);
}

#[test]
fn a_file_that_is_not_indexed_has_no_outline() {
    let project = Sandbox::new("");
    let path = RelPath::new("missing.go").unwrap();
    assert!(project.engine().outline(&path, &(), &Cancel::default()).unwrap().is_none());
}
