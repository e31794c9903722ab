//! Loading: which files count, what becomes of each document, and what is refused.

use std::path::Path;

use fbc_model::Catalog;
use fbc_model::load::{LoadFaultKind, load_bytes, load_tree};
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::tree::{DiskTree, MemoryTree, Tree};
use fbc_model::writer::{Format, write};

const PACKAGE: &str = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    files.iter().map(|(path, text)| (*path, text.as_bytes())).collect()
}

fn faults(catalog: &Catalog) -> Vec<(LoadFaultKind, String, String)> {
    let shown = |fault: &fbc_model::load::LoadFault| {
        (fault.kind, fault.path.display().to_string(), fault.message.clone())
    };
    catalog.faults.iter().map(shown).collect()
}

#[test]
fn every_file_counts_unless_it_is_ignored() {
    let files = [
        (".indexignore", "*.md\nobjects/\n"),
        ("README.md", "# not a blob"),
        ("b/objects/csv.yaml", "kind: Foo\n"),
        ("b/index.yaml", PACKAGE),
        ("a/index.json", "{\"schema\": \"custom\", \"name\": \"x\"}"),
    ];
    let catalog = load_tree(&tree(&files));
    assert_eq!(faults(&catalog), []);
    let paths: Vec<_> = catalog.files.iter().map(|file| file.path.display().to_string()).collect();
    assert_eq!(paths, ["a/index.json", "b/index.yaml"]);
    let ignored: Vec<_> = catalog.ignored.iter().map(|path| path.display().to_string()).collect();
    assert_eq!(ignored, ["README.md", "b/objects/csv.yaml"]);
    assert_eq!((catalog.packages.len(), catalog.others.len()), (1, 1));
}

#[test]
fn every_fault_is_noted_and_the_rest_is_loaded() {
    use LoadFaultKind::*;
    let files = [
        (
            "a.yaml",
            "# licence\n---\nschema: olm.package\nname: foo\ndescription: 3\n---\n- a\n---\nSchema: x\nschema: x\n",
        ),
        ("b.yaml", "name: y\nschema: x\n---\nname: z\n---\na: [\n--- x\nschema: x\n"),
        (
            "c.yaml",
            "schema: olm.bundle\nname: c\npackage: foo\nproperties:\n- type: olm.bundle.object\n  value: {data: '*'}\n",
        ),
        (".indexignore", &"x".repeat(70_000)),
    ];
    let catalog = load_tree(&tree(&files));
    let found = faults(&catalog);
    let kinds: Vec<_> = found.iter().map(|(kind, path, _)| (*kind, path.as_str())).collect();
    assert_eq!(
        kinds,
        [
            (IndexIgnore, ".indexignore"),
            (NoSchema, "a.yaml"),
            (FieldType, "a.yaml"),
            (NotAnObject, "a.yaml"),
            (AmbiguousKeys, "a.yaml"),
            (MetaNotText, "b.yaml"),
            (NoSchema, "b.yaml"),
            (Separator, "b.yaml"),
            (Malformed, "b.yaml"),
            (BundleObject, "c.yaml"),
        ]
    );
    let messages: Vec<_> = found.iter().map(|(.., message)| message.as_str()).collect();
    assert_eq!(messages.get(1), Some(&"object '' is missing root schema field"));
    assert_eq!(
        messages.last(),
        Some(
            &"read bundle objects: package \"foo\", bundle \"c\": parse property at index 0 as bundle object: illegal base64 data at input byte 0"
        )
    );
    assert_eq!((catalog.bundles.len(), catalog.others.len()), (1, 1));
}

#[test]
fn separators_are_refused_in_their_order() {
    let files = [("a.yaml", "--- a\n--- [\n")];
    let found = faults(&load_tree(&tree(&files)));
    let messages: Vec<_> = found.iter().map(|(.., message)| message.as_str()).collect();
    assert_eq!(messages, ["a", "["].map(|rest| format!("invalid Yaml document separator: {rest}")));
    // The document that such a line ends comes after it; one that ended before, before it.
    for (text, is_first) in [("a: [\n---x\n", true), ("a: [\n---\n---x\n", false)] {
        let found = faults(&load_tree(&tree(&[("a.yaml", text)])));
        assert_eq!(found.first().unwrap().2.ends_with("separator: x"), is_first, "{text:?}: {found:?}");
    }
}

#[test]
fn what_is_written_is_sorted_and_complete() {
    let text = concat!(
        "schema: olm.bundle\npackage: b\nname: b.v1\nimage: q/b:1\nextra: dropped\n",
        "properties: [{type: olm.csv.metadata, value: {z: 1, a: 2}}, {type: x, value: null}]\n",
        "relatedImages: [{image: z}, {image: a, name: nn}]\n",
        "---\nschema: olm.channel\npackage: b\nname: s\n---\nschema: olm.package\nname: b\n",
        "---\nschema: zz\npackage: b\n---\nschema: free\nnumber: 1.50\n---\nschema: olm.deprecations\npackage: b\nentries: []\n",
        "---\nschema: olm.package\nname: a\nicon: {mediatype: m}\n---\nschema: olm.channel\nname: lost\n",
    );
    let mut catalog = load_bytes(Path::new("catalog.yaml"), text.as_bytes());
    assert_eq!(faults(&catalog), []);
    prepare(&mut catalog, MigrateLevel::None).unwrap();
    let mut out = Vec::new();
    write(&catalog, Format::Json, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let compact: String = text.lines().map(str::trim).collect();
    assert_eq!(
        compact,
        concat!(
            r#"{"schema": "olm.package","name": "a","defaultChannel": "","icon": {"base64data": null,"mediatype": "m"}}"#,
            r#"{"schema": "olm.package","name": "b","defaultChannel": ""}"#,
            r#"{"schema": "olm.channel","name": "s","package": "b","entries": null}"#,
            r#"{"schema": "olm.bundle","name": "b.v1","package": "b","image": "q/b:1","properties": ["#,
            r#"{"type": "x","value": null},{"type": "olm.csv.metadata","value": {"a": 2,"z": 1}}],"#,
            r#""relatedImages": [{"name": "nn","image": "a"},{"name": "","image": "z"}]}"#,
            r#"{"package": "b","schema": "zz"}"#,
            r#"{"schema": "olm.deprecations","package": "b","entries": []}"#,
            r#"{"number": 1.5,"schema": "free"}"#,
        )
    );
}

#[test]
fn manifests_give_way_to_metadata() {
    let version = r#"{"kind":"ClusterServiceVersion","metadata":{"name":"f.v1","annotations":{"k":"<v>"}},
        "spec":{"displayName":"F","customresourcedefinitions":{"owned":[{"kind":"F","name":"fs.x","version":"v1",
        "specDescriptors":[{"path":"p","value":{"b":1}}]}]},"installModes":[{"type":"AllNamespaces","supported":true}],
        "keywords":[],"provider":{"url":""},"install":{"spec":{}}}}"#;
    let text = format!(
        "schema: olm.bundle\nname: f.v1\npackage: f\nimage: q/f:1\nproperties:\n- type: olm.bundle.object\n  value:\n    data: {}\n",
        fbc_go::base64::encode(version.as_bytes())
    );
    let load = || load_bytes(Path::new("c.yaml"), text.as_bytes());
    let mut catalog = load();
    prepare(&mut catalog, MigrateLevel::ALL).unwrap();
    let properties = &catalog.bundles[0].properties;
    assert_eq!(properties.len(), 1);
    assert_eq!(
        format!("{:?}", properties[0].value.as_ref().unwrap()),
        concat!(
            r#"{"annotations":{"k":"<v>"},"apiServiceDefinitions":{},"crdDescriptions":{"owned":[{"name":"fs.x","#,
            r#""version":"v1","kind":"F","specDescriptors":[{"path":"p","value":{"b":1}}]}]},"displayName":"F","#,
            r#""installModes":[{"type":"AllNamespaces","supported":true}],"provider":{}}"#
        )
    );
    let mut catalog = load();
    catalog.bundles[0].image.clear();
    prepare(&mut catalog, MigrateLevel::ALL).unwrap();
    assert_eq!(
        catalog.bundles[0].properties[0].kind, "olm.bundle.object",
        "without an image nothing changes"
    );
}

#[cfg(unix)]
#[test]
fn odd_entries_of_a_folder_are_faults_not_hangs() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("d")).unwrap();
    std::fs::write(root.join("d/a.yaml"), PACKAGE).unwrap();
    symlink("d", root.join("link-to-folder")).unwrap();
    symlink("d/a.yaml", root.join("link-to-file")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink("/dev/zero", root.join("zero")).unwrap();
    let tree = DiskTree { root: root.to_path_buf() };
    let catalog = load_tree(&tree);
    let shown: Vec<_> = catalog.faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        shown,
        [
            "open dangling: no such file or directory",
            format!("read {}/link-to-folder: is a directory", root.display()).as_str(),
            "open loop: too many levels of symbolic links",
            "open zero: is a pipe, socket or device, not a regular file",
        ]
    );
    assert_eq!(catalog.packages.len(), 2, "the file, and the link to it");
    assert!(tree.list(Path::new("missing")).is_err());
}
