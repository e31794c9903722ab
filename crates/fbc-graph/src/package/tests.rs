//! Tables for the graph of a package.

use std::path::Path;

use fbc_model::Catalog;
use fbc_model::load::load_bytes;
use fbc_version::Version;

use super::{NodeKind, PackageGraph, widened};

fn catalog(text: &str) -> Catalog {
    let catalog = load_bytes(Path::new("catalog.yaml"), text.as_bytes());
    assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
    catalog
}

const SMALL: &str = r#"
{schema: olm.package, name: foo, defaultChannel: a}
---
schema: olm.channel
package: foo
name: a
entries:
- {name: foo.v1.2.0, replaces: foo.v1.0.0, skips: [foo.v1.1.0], skipRange: ">=0.9.0 <1.1.0 || 1.1.5"}
- {name: foo.v1.0.0, skipRange: "bad"}
---
{schema: olm.bundle, package: foo, name: foo.v1.2.0, image: i, properties: [{type: olm.package, value: {packageName: foo, version: 1.2.0}}]}
---
{schema: olm.bundle, package: foo, name: foo.v1.0.0, image: i, properties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}]}
---
{schema: olm.bundle, package: foo, name: odd, image: i}
---
schema: olm.deprecations
package: foo
entries:
- {reference: {schema: olm.package}, message: gone}
- {reference: {schema: olm.channel, name: a}, message: a gone}
- {reference: {schema: olm.bundle, name: foo.v1.0.0}, message: old}
"#;

#[test]
fn all_graphs_are_those_of_each_package() {
    let text = ["foo", "bar"].map(|name| {
        format!(
            r#"{{"schema": "olm.package", "name": "{name}", "defaultChannel": "s"}}
            {{"schema": "olm.channel", "package": "{name}", "name": "s", "entries": [{{"name": "{name}.v2", "replaces": "{name}.v1"}}]}}
            {{"schema": "olm.bundle", "package": "{name}", "name": "{name}.v2", "image": "i"}}
            {{"schema": "olm.deprecations", "package": "{name}", "entries": [{{"reference": {{"schema": "olm.package"}}, "message": "{name} is old"}}]}}"#
        )
    });
    let text = text.concat() + r#"{"schema": "x", "package": "only-named"}"#;
    let catalog = catalog(&text);
    let all = PackageGraph::all(&catalog, |name| name != "foo");
    let names: Vec<&str> = all.iter().map(|graph| graph.name.as_str()).collect();
    assert_eq!(names, ["bar", "only-named"]);
    for graph in &all {
        let alone = PackageGraph::from_catalog(&catalog, &graph.name);
        let parts = |graph: &PackageGraph<'_>| {
            (
                graph.nodes.clone(),
                graph.channels.len(),
                graph.default_channel.clone(),
                graph.deprecation.clone(),
            )
        };
        assert_eq!(parts(graph), parts(&alone));
    }
    assert_eq!(all[0].deprecation.as_deref(), Some("bar is old"));
}

#[test]
fn nodes_are_sorted_and_edges_point_at_them() {
    let catalog = catalog(SMALL);
    let graph = PackageGraph::from_catalog(&catalog, "foo");
    let nodes: Vec<_> = graph.nodes.iter().map(|node| (node.label(), node.kind)).collect();
    let expected = [
        ("odd", NodeKind::Bundle),
        ("1.0.0", NodeKind::Bundle),
        ("1.1.0", NodeKind::Outside),
        ("1.2.0", NodeKind::Bundle),
    ];
    assert_eq!(nodes, expected.map(|(label, kind)| (label.to_owned(), kind)));
    let channel = &graph.channels[0];
    assert_eq!((channel.edges[0].node, channel.edges[0].replaces), (3, Some(1)));
    assert_eq!(channel.edges[0].skips, [2]);
    assert_eq!((channel.edges[0].covered.len(), channel.edges[0].covered.first()), (1, Some(&(1..2))));
    assert!(channel.edges[1].range_error.is_some());
    assert_eq!(channel.members(), [1, 2, 3]);
    assert_eq!(
        (graph.deprecation.as_deref(), channel.deprecation.as_deref(), graph.nodes[1].deprecation.as_deref()),
        (Some("gone"), Some("a gone"), Some("old"))
    );
}

#[test]
fn what_is_supposed_to_be_installed_is_a_node_too() {
    let catalog = catalog(SMALL);
    let supposed =
        [("foo.v1.1.5".to_owned(), Version::new(1, 1, 5)), ("foo.v1.0.0".to_owned(), Version::new(9, 0, 0))];
    let graph = PackageGraph::with_supposed(&catalog, "foo", &supposed);
    let node = graph.node_by_name("foo.v1.1.5").unwrap();
    assert_eq!(graph.nodes[node].kind, NodeKind::Supposed);
    assert_eq!(graph.channels[0].edges[0].covered, [1..2, node..node + 1]);
    assert_eq!(graph.nodes.len(), 5);
}

#[test]
fn an_unknown_package_is_empty() {
    let catalog = catalog(SMALL);
    let graph = PackageGraph::from_catalog(&catalog, "bar");
    assert!(graph.nodes.is_empty() && graph.channels.is_empty());
}

#[test]
fn ranges_are_widened_as_little_as_can_be_said_simply() {
    let wide = |text: &str, version: &str| {
        widened(text, &Version::parse(version).unwrap(), &Version::new(2, 0, 0)).unwrap_or_default()
    };
    for (text, version, expected) in [
        ("", "1.0.0", ">=1.0.0 <2.0.0"),
        ("nonsense", "1.0.0", ">=1.0.0 <2.0.0"),
        (">=1.5.0 <2.0.0", "1.0.0", ">=1.0.0 <2.0.0"),
        (">1.0.0 <1.8.0", "1.0.0", ">=1.0.0 <1.8.0"),
        (">=1.0.0 <1.5.0", "1.5.0", ">=1.0.0 <2.0.0"),
        ("<1.5.0", "1.6.0", "<2.0.0"),
        (">=1.5.0", "1.0.0", ">=1.0.0"),
        (">=1.0.0 <1.2.0 || >=1.4.0 <1.5.0", "1.3.0", ">=1.0.0 <1.2.0 || >=1.4.0 <1.5.0 || 1.3.0"),
        (">=1.5.0 <2.0.0", "1.0.0-rc.1+build", ">=1.0.0-rc.1 <2.0.0"),
        // What lies above the version that the range leads to cannot be covered this way.
        ("", "3.0.0", ""),
    ] {
        assert_eq!(wide(text, version), expected, "{text} with {version}");
    }
}
