//! Graphs from small directories.

use fbc_model::tree::MemoryTree;

use super::*;

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    let mut tree = MemoryTree::default();
    for (path, text) in files {
        tree.insert(*path, text.as_bytes().to_vec());
    }
    tree
}

fn releases() -> Vec<ReleaseRecord> {
    let release = |version: &str, previous: &[&str]| {
        ReleaseRecord::read(
            &json!({"version": version, "image": format!("i/{version}"), "previous": previous}),
        )
        .unwrap()
    };
    vec![
        release("4.11.36", &["4.10.1", "4.11.35"]),
        release("4.11.35", &["4.10.1"]),
        release("4.10.1", &[]),
        release("4.10.2", &["4.10.1"]),
    ]
}

/// Shows D-CVO-13, D-CVO-14
#[test]
fn channels_and_blocks_make_the_graph() {
    let tree = tree(&[
        ("version", "1.2.0\n"),
        ("channels/a.yaml", "name: stable-4.11\nversions: [4.10.1, 4.11.35, 4.11.36+amd64]\n"),
        ("channels/b.yml", "name: candidate-4.10\nversions: [4.10.1, 4.10.2]\n"),
        (
            "blocked-edges/1.yaml",
            "to: 4.11.36\nfrom: ^4[.]10[.]\nurl: https://example.com\nname: PatchesOlderRelease\nmessage: Older.\nmatchingRules: [{type: Always}]\n",
        ),
        ("blocked-edges/2.yaml", "to: 4.11.35\nfrom: .*\n"),
        (
            "raw/metadata.json",
            "{\"4.10.2\": {\"io.openshift.upgrades.graph.release.remove\": \"true\"}, \"4.11.36\": {\"url\": \"https://example.com/errata\"}}",
        ),
    ]);
    let data = GraphData::read(&tree).unwrap();
    let graph = data.graph(&releases(), "amd64");
    let versions: Vec<String> = graph.nodes.iter().map(|node| node.version.to_string()).collect();
    assert_eq!(versions, ["4.10.1", "4.11.35", "4.11.36"]);
    assert_eq!(graph.edges, [(1, 2)]);
    let [group] = graph.conditional_edges.as_slice() else { panic!("{graph:?}") };
    assert_eq!(group.edges, [("4.10.1".to_owned(), "4.11.36".to_owned())]);
    assert_eq!(graph.nodes[0].channels(), ["candidate-4.10", "stable-4.11"]);
    assert_eq!(graph.nodes[2].metadata["url"], "https://example.com/errata");
    assert_eq!(graph.of_channel("candidate-4.10").nodes.len(), 1);
    assert!(data.graph(&releases(), "arm64").nodes.is_empty());
}

/// An update that raw metadata adds is blocked and has risks as any other, a plain block beside a risk leaves the risk,
/// and what is removed stays removed.
///
/// `openshift/cincinnati:cincinnati/src/plugins/internal/edge_add_remove.rs` (`run_internal`)
#[test]
fn updates_are_added_then_judged_then_removed() {
    let risk = "url: https://example.com\nname: Risk\nmessage: It breaks.\nmatchingRules: [{type: Always}]\n";
    let tree = tree(&[
        ("version", "1.2.0\n"),
        ("blocked-edges/1.yaml", &format!("to: 4.10.2\nfrom: .*\n{risk}")),
        ("blocked-edges/2.yaml", "to: 4.10.2\nfrom: .*\n"),
        ("blocked-edges/3.yaml", &format!("to: 4.11.35\nfrom: ^4[.]10[.]2[+]\n{risk}")),
        (
            "raw/metadata.json",
            r#"{"4.11.35": {"io.openshift.upgrades.graph.previous.add": "4.10.2"},
                "4.11.36": {"io.openshift.upgrades.graph.previous.add": "4.10.2",
                            "io.openshift.upgrades.graph.previous.remove": "4.10.2, 4.10.1"}}"#,
        ),
    ]);
    let graph = GraphData::read(&tree).unwrap().graph(&releases(), "amd64");
    let name = |index: usize| graph.nodes[index].version.to_string();
    let edges: Vec<_> = graph.edges.iter().map(|(from, to)| (name(*from), name(*to))).collect();
    let edge = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(edges, [edge("4.10.1", "4.11.35"), edge("4.11.35", "4.11.36")]);
    let [group] = graph.conditional_edges.as_slice() else { panic!("{graph:?}") };
    assert_eq!(group.edges, [edge("4.10.1", "4.10.2"), edge("4.10.2", "4.11.35")]);
}

#[test]
fn faults_name_the_file() {
    for (path, text, part) in [
        ("version", "2.0.0", "schema version"),
        ("channels/a.yaml", "versions: []", "no name"),
        ("blocked-edges/a.yaml", "to: 4.1.0", "needs `to` and `from`"),
        ("blocked-edges/a.yaml", "{to: 4.1.0, from: '('}", "not a pattern"),
        ("blocked-edges/a.yaml", "{to: 4.1.0, from: '.*', name: A}", "needs all of"),
        ("raw/metadata.json", "[]", "expected a map"),
    ] {
        let mut files = vec![("version", "1.0.0")];
        files.retain(|(file, _)| *file != path);
        files.push((path, text));
        let error = GraphData::read(&tree(&files)).unwrap_err();
        assert!(error.file == path && error.message.contains(part), "{error}");
    }
}
