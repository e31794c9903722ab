//! Small charts. Only compiled for tests.

use fbc_model::load::load_tree;
use fbc_model::tree::MemoryTree;
use proptest::prelude::*;

use super::*;

fn catalog(text: &str) -> Catalog {
    let tree: MemoryTree = [("catalog.yaml", text)].into_iter().collect();
    load_tree(&tree)
}

fn bundle(name: &str, version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\nname: {name}\npackage: p\nproperties:\n\
         - {{type: olm.package, value: {{packageName: p, version: \"{version}\"}}}}\n"
    )
}

/// One channel with three bundles, and its chart below the header.
fn lines(entries: &str, extra: &str, options: &MermaidOptions) -> Vec<String> {
    let mut text = format!("schema: olm.channel\npackage: p\nname: c\nentries: {entries}\n");
    for (name, version) in [("a", "1.0.0"), ("b", "1.1.0"), ("d", "1.2.0")] {
        text += &bundle(name, version);
    }
    let chart = draw(&catalog(&(text + extra)), options).unwrap().text;
    let body = chart.strip_prefix(HEADER).unwrap();
    body.lines().map(|line| line.trim_start().replace("p-c-", "")).collect()
}

const V0: MermaidOptions = MermaidOptions {
    minimum_edge: String::new(),
    package: String::new(),
    draw_v0_semantics: true,
    most_bytes: MOST_BYTES,
    confines_names: false,
};

#[test]
fn edges_in_their_order() {
    let entries = "[{name: a}, {name: b, replaces: a, skips: [x], skipRange: '<1.1.0'}]";
    assert_eq!(
        lines(entries, "", &MermaidOptions::default()),
        [
            "%% package \"p\"",
            "subgraph \"p\"",
            "%% channel \"c\"",
            "subgraph p-c[\"c\"]",
            "b[\"b\"]",
            "x[\"x\"]-- skip --> b[\"b\"]",
            "a[\"a\"]-- \"skipRange(<1.1.0)\" --> b[\"b\"]",
            "a[\"a\"]-- replace --> b[\"b\"]",
            "a[\"a\"]",
            "end",
            "end",
        ]
    );
}

#[test]
fn what_version_0_skips() {
    let entries =
        "[{name: a}, {name: b, replaces: a, skipRange: '<1.1.0'}, {name: d, replaces: b, skips: [b, b]}]";
    let drawn = lines(entries, "", &V0);
    assert_eq!(
        &drawn[drawn.len() - 2..],
        ["class b skipped", "linkStyle 1,3,4 stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;"]
    );
    assert!(lines(entries, "", &MermaidOptions::default()).iter().all(|line| !line.starts_with("class")));
}

#[test]
fn deprecations_are_styled() {
    let deprecations = "---\nschema: olm.deprecations\npackage: p\nentries:\n\
        - {reference: {schema: olm.package}, message: m}\n\
        - {reference: {schema: olm.channel, name: c}, message: m}\n\
        - {reference: {schema: olm.bundle, name: a}, message: m}\n\
        - {reference: {schema: olm.bundle, name: b}, message: m}\n";
    let drawn = lines("[{name: a}, {name: b}, {name: d, skips: [b]}]", deprecations, &V0);
    assert_eq!(
        &drawn[drawn.len() - 4..],
        ["style p fill:#989695", "style p-c fill:#DCD0FF", "class a deprecated", "class b deprecatedskipped"]
    );
}

#[test]
fn from_a_minimum_edge_upwards() {
    let entries = "[{name: a}, {name: b, replaces: a, skips: [x]}, \
        {name: d, replaces: b, skips: [a], skipRange: '<1.2.0'}]";
    let options = MermaidOptions { minimum_edge: "b".to_owned(), ..MermaidOptions::default() };
    assert_eq!(
        &lines(entries, "", &options)[4..8],
        [
            "d[\"d\"]",
            "b[\"b\"]-- \"skipRange(<1.2.0)\" --> d[\"d\"]",
            "b[\"b\"]-- replace --> d[\"d\"]",
            "b[\"b\"]"
        ]
    );
    let options = MermaidOptions { minimum_edge: "zz".to_owned(), ..MermaidOptions::default() };
    let error = draw(&catalog(&bundle("a", "1.0.0")), &options).unwrap_err();
    assert_eq!(error.to_string(), "unknown minimum edge name: \"zz\"");
}

#[test]
fn packages_that_are_not_asked_for() {
    let options = MermaidOptions { package: "q".to_owned(), ..MermaidOptions::default() };
    assert_eq!(lines("[{name: a}]", "", &options), [""; 0]);
    let options = MermaidOptions { package: "p".to_owned(), ..MermaidOptions::default() };
    assert_eq!(lines("[]", "", &options), [""; 0]);
    assert_eq!(lines("[]", "", &MermaidOptions::default()).len(), 6);
}

const WITH_BAD_RANGE: &str =
    "schema: olm.channel\npackage: p\nname: c\nentries: [{name: a, skipRange: zz}]\n";

#[test]
fn refusals_and_warnings() {
    let refusal = |text: &str| draw(&catalog(text), &V0).unwrap_err().to_string();
    assert_eq!(
        refusal(&bundle("a", "1.0")),
        "bundle \"a\" has invalid version \"1.0\": No Major.Minor.Patch elements found"
    );
    assert_eq!(
        refusal("schema: olm.bundle\nname: a\npackage: p\n"),
        "bundle \"a\" has multiple \"olm.package\" properties, expected exactly 1"
    );
    assert_eq!(
        refusal("schema: olm.bundle\nname: a\nproperties: [{type: olm.gvk, value: 3}]\n"),
        "parse properties for bundle \"a\": parse property[0] of type \"olm.gvk\": \
         json: cannot unmarshal number into Go value of type property.GVK"
    );
    let chart = draw(&catalog(WITH_BAD_RANGE), &V0);
    let warnings: Vec<String> = chart.unwrap().warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "ignoring invalid SkipRange for package/edge \"p\"/\"a\": Could not get version from string: \"zz\""
        ]
    );
}

proptest! {
    #[test]
    fn covered_entries_are_those_that_match(
        versions in prop::collection::vec((0..3_u64, 0..3_u64, prop::option::of(0..3_u64)), 0..12),
        range in "(>=|<|!=|>|<=|)[0-2]\\.[0-2]\\.0(-rc\\.1)?( (>=|<|!=|>|<=)[0-2]\\.[0-2]\\.0| \\|\\| [0-2]\\.x)?",
    ) {
        let versions: Vec<Version> = versions
            .into_iter()
            .map(|(major, minor, candidate)| {
                let candidate = candidate.map(|number| format!("-rc.{number}")).unwrap_or_default();
                Version::parse(&format!("{major}.{minor}.0{candidate}")).unwrap()
            })
            .collect();
        let parsed = fbc_version::blang::Range::parse(&range).unwrap();
        let matching: Vec<usize> =
            (0..versions.len()).filter(|&index| parsed.matches(&versions[index])).collect();
        let covered = CoveredEntries::new(versions.iter().map(Some));
        prop_assert_eq!(covered.in_range(&range).unwrap(), matching);
    }
}

#[test]
fn a_chart_has_a_budget() {
    let catalog = |entries: usize| {
        let entry = |n: usize| format!("{{name: p.v1.{n}.0, skipRange: '<1.{n}.0'}}");
        let entries: Vec<String> = (0..entries).map(entry).collect();
        catalog(&format!("schema: olm.channel\npackage: p\nname: c\nentries: [{}]\n", entries.join(", ")))
    };
    let options = |most_bytes| MermaidOptions { most_bytes, ..MermaidOptions::default() };
    let text = draw(&catalog(50), &options(MOST_BYTES)).unwrap().text;
    assert!(draw(&catalog(50), &options(text.len() as u64)).is_ok());
    assert_eq!(draw(&catalog(50), &options(500)), Err(MermaidError::TooLarge(500)));
}
