//! Configurations and what they select.

use std::collections::BTreeMap;

use fbc_graph::filter::filter;
use fbc_model::load::load_bytes;

use super::*;

mod comparison;

/// As a command reads a file.
fn parsed(bytes: &[u8]) -> Result<ImageSet, Error> {
    parse(bytes).map_err(|fault| fault.failure(Path::new("set.yaml")))
}

/// Two packages: `a` with two channels, of which `stable` is the default; `b` with one.
const CATALOG: &str = r#"
{"schema": "olm.package", "name": "a", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "a", "name": "stable", "entries": [
  {"name": "a.v3", "replaces": "a.v2"}, {"name": "a.v2", "replaces": "a.v1"}, {"name": "a.v1"}]}
{"schema": "olm.channel", "package": "a", "name": "fast", "entries": [
  {"name": "a.v4", "replaces": "a.v3"}, {"name": "a.v3", "replaces": "a.v2"}, {"name": "a.v2"}]}
{"schema": "olm.package", "name": "b", "defaultChannel": "only"}
{"schema": "olm.channel", "package": "b", "name": "only", "entries": [
  {"name": "b.v2", "replaces": "b.v1"}, {"name": "b.v1"}]}
"#;

fn catalog() -> fbc_model::Catalog {
    let bundle = |(package, number): (&str, u32)| {
        format!(
            r#"{{"schema": "olm.bundle", "package": "{package}", "name": "{package}.v{number}", "image": "quay.io/x/{package}:v{number}",
            "properties": [{{"type": "olm.package", "value": {{"packageName": "{package}", "version": "{number}.0.0"}}}}]}}"#
        )
    };
    let bundles = [("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 1), ("b", 2)].map(bundle).join("\n");
    load_bytes(Path::new("catalog.json"), format!("{CATALOG}{bundles}").as_bytes())
}

fn configuration(operators: &str) -> String {
    format!(
        "kind: ImageSetConfiguration\napiVersion: {API_VERSION}\nmirror:\n  operators:\n  - catalog: quay.io/x/index:v1\n{operators}"
    )
}

/// The entries of each channel that the operators section of one catalog selects.
fn selected(operators: &str) -> Result<BTreeMap<String, Vec<String>>, String> {
    let text = configuration(operators);
    let set = parsed(text.as_bytes()).map_err(|failure| failure.line())?;
    let catalog = catalog();
    let kept = match set.orders[0].packages.selection(&catalog).0 {
        None => catalog,
        Some(selection) => filter(&catalog, &selection).map_err(|refusals| format!("{refusals:?}"))?.catalog,
    };
    let entries = |channel: &fbc_model::Channel| {
        let mut names: Vec<String> = channel.entries().iter().map(|entry| entry.name.clone()).collect();
        names.sort();
        (format!("{}/{}", channel.package, channel.name), names)
    };
    Ok(kept.channels.iter().map(entries).collect())
}

/// A title, an operators section, and the entries of the channels that are left.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

#[test]
fn selections_are_those_of_the_plugin() {
    const FULL: &[(&str, &str)] =
        &[("a/fast", "a.v2 a.v3 a.v4"), ("a/stable", "a.v1 a.v2 a.v3"), ("b/only", "b.v1 b.v2")];
    let cases: [Case; 20] = [
        ("heads of all channels", "", &[("a/fast", "a.v4"), ("a/stable", "a.v3"), ("b/only", "b.v2")]),
        ("all", "    full: true", FULL),
        ("heads of a package", "    packages: [{name: a}]", &[("a/fast", "a.v4"), ("a/stable", "a.v3")]),
        ("all of a package", "    full: true\n    packages: [{name: a}]", const { &[FULL[0], FULL[1]] }),
        (
            "from a version, in all channels",
            "    packages: [{name: a, minVersion: 2.0.0}]",
            &[("a/fast", "a.v2 a.v3 a.v4"), ("a/stable", "a.v2 a.v3")],
        ),
        (
            "up to a version, in all channels",
            "    packages: [{name: a, maxVersion: 2.0.0}]",
            &[("a/fast", "a.v2"), ("a/stable", "a.v1 a.v2")],
        ),
        (
            "between versions",
            "    packages: [{name: a, minVersion: 2.0.0, maxVersion: 2.5.0}]",
            &[("a/fast", "a.v2"), ("a/stable", "a.v2")],
        ),
        (
            "channels with nothing in the range go",
            "    packages: [{name: a, maxVersion: 1.0.0}]",
            &[("a/stable", "a.v1")],
        ),
        (
            "named channels with nothing in the range go, too",
            "    packages: [{name: a, maxVersion: 1.0.0, channels: [{name: fast}, {name: stable}]}]",
            &[("a/stable", "a.v1")],
        ),
        (
            "another default channel",
            "    packages: [{name: a, defaultChannel: fast}]",
            &[("a/fast", "a.v4"), ("a/stable", "a.v3")],
        ),
        (
            "another default channel, from a version",
            "    packages: [{name: a, defaultChannel: fast, minVersion: 4.0.0}]",
            &[("a/fast", "a.v4")],
        ),
        (
            "the head of a channel",
            "    packages: [{name: a, defaultChannel: fast, channels: [{name: fast}]}]",
            &[("a/fast", "a.v4")],
        ),
        (
            "heads of channels",
            "    packages: [{name: a, channels: [{name: fast}, {name: stable}]}]",
            &[("a/fast", "a.v4"), ("a/stable", "a.v3")],
        ),
        (
            "channels with the range of their package",
            "    packages: [{name: a, minVersion: 3.0.0, channels: [{name: fast}, {name: stable}]}]",
            &[("a/fast", "a.v3 a.v4"), ("a/stable", "a.v3")],
        ),
        (
            "some channels with the range of their package",
            "    packages: [{name: a, maxVersion: 2.0.0, channels: [{name: stable}]}]",
            &[("a/stable", "a.v1 a.v2")],
        ),
        (
            "channels with versions, without the head",
            "    packages: [{name: a, channels: [{name: stable, maxVersion: 2.0.0}, {name: fast, minVersion: 3.0.0}]}]",
            &[("a/fast", "a.v3 a.v4"), ("a/stable", "a.v1 a.v2")],
        ),
        (
            "one channel with versions, of another one the head",
            "    packages: [{name: a, channels: [{name: stable, maxVersion: 2.0.0}, {name: fast}]}]",
            &[("a/fast", "a.v4"), ("a/stable", "a.v1 a.v2")],
        ),
        (
            "all of a channel",
            "    full: true\n    packages: [{name: a, channels: [{name: stable}]}]",
            const { &[FULL[1]] },
        ),
        ("a package that is gone", "    packages: [{name: b}, {name: c}]", &[("b/only", "b.v2")]),
        (
            "a channel that is gone",
            "    packages: [{name: a, channels: [{name: stable}, {name: slow}]}]",
            &[("a/stable", "a.v3")],
        ),
    ];
    for (title, operators, expected) in cases {
        let expected: BTreeMap<String, Vec<String>> = expected
            .iter()
            .map(|(channel, names)| ((*channel).to_owned(), names.split(' ').map(str::to_owned).collect()))
            .collect();
        assert_eq!(selected(operators), Ok(expected), "{title}");
    }
}

#[test]
fn what_gives_no_catalog_is_refused() {
    for (operators, expected) in [
        ("    packages: [{name: c}]", "NoPackage"),
        ("    packages: [{name: a, channels: [{name: slow}]}]", "NoChannel"),
        ("    packages: [{name: a, channels: [{name: fast}]}]", "DefaultChannel"),
        ("    packages: [{name: a, minVersion: 9.0.0}]", "NothingInRange"),
        ("    packages: [{name: a, minVersion: 4.0.0}]", "DefaultChannel"),
        (
            "    packages: [{name: a, channels: [{name: stable, minVersion: 4.0.0}, {name: fast}]}]",
            "DefaultChannel",
        ),
    ] {
        let refused = selected(operators).unwrap_err();
        assert!(refused.contains(expected), "{operators}: {refused}");
    }
}

#[test]
fn what_is_ordered_and_gone_is_named() {
    let absent = |operators: &str| {
        let set = parsed(configuration(operators).as_bytes()).unwrap();
        set.orders[0].packages.selection(&catalog()).1
    };
    for (operators, expected) in [
        ("    packages: [{name: a}]", &[][..]),
        ("    packages: [{name: b}, {name: c}]", &["there is no package \"c\""]),
        (
            "    packages: [{name: a, channels: [{name: stable}, {name: slow}]}]",
            &["package \"a\" has no channel \"slow\""],
        ),
        // These are refused.
        ("    packages: [{name: c}]", &[]),
        ("    packages: [{name: a, channels: [{name: slow}]}]", &[]),
    ] {
        assert_eq!(absent(operators), expected, "{operators}");
    }
}

#[test]
fn any_text_is_a_set_or_has_faults_within() {
    let text = configuration(
        "    packages: [{name: a, channels: [{name: s, minVersion: 1.0.0}]}]\n  additionalImages: [{name: q.io/a:v1}]\n",
    );
    for text in fbc_testing::broken_variants(&text) {
        if let Err(ImageSetFault::Faults(faults)) = parse(text.as_bytes()) {
            assert!(!faults.is_empty(), "{text}");
            let lines = text.lines().count().max(1);
            assert!(faults.iter().all(|((line, _), _)| (1..=lines + 1).contains(line)), "{text}");
        }
    }
}

#[test]
fn faults_have_places() {
    for (operators, expected) in [
        ("    ful: true", "set.yaml:6:5: there is no key `ful`, did you mean `full`?"),
        ("    full: yes please", "set.yaml:6:11: `full` is neither true nor false"),
        ("    packages: {name: a}", "set.yaml:6:15: `packages` is not a list"),
        ("    packages: [a]", "set.yaml:6:16: this is not a mapping"),
        ("    packages: [{channels: []}]", "set.yaml:6:16: `name` is missing"),
        ("    packages: [{name: a}, {name: a}]", "set.yaml:6:34: package \"a\" is named twice"),
        (
            "    packages: [{name: a, channels: [{name: s}, {name: s}]}]",
            "set.yaml:6:55: channel \"s\" is named twice",
        ),
        (
            "    packages: [{name: a, minVersion: 1.5}]",
            "set.yaml:6:38: `minVersion` is a number; put it in quotes",
        ),
        (
            "    packages: [{name: a, minVersion: new}]",
            "set.yaml:6:38: `minVersion` is not a version: \"new\"",
        ),
        (
            "    packages: [{name: a, maxVersion: '1.0.0 || 3.0.0'}]",
            "set.yaml:6:38: `maxVersion` is not a version: \"1.0.0 || 3.0.0\"",
        ),
        (
            "    full: true\n    packages: [{name: a, minVersion: 1.0.0}]",
            "set.yaml:7:26: `minVersion` contradicts `full: true`",
        ),
        (
            "    packages: [{name: a, minVersion: 1.0.0, channels: [{name: s, maxVersion: 2.0.0}]}]",
            "set.yaml:6:56: the package has `minVersion` or `maxVersion`, which are for all its channels",
        ),
        ("    packages: [{name: a, bundles: [{name: a.v1}]}]", "set.yaml:6:26: there is no key `bundles`"),
        ("  blockedImages: [{name: '('}]", "set.yaml:6:26: `name` is not a regular expression"),
    ] {
        let fault = selected(operators).unwrap_err();
        assert!(fault.starts_with(expected), "{operators}: {fault}");
    }
    for (text, expected) in [
        ("[]", "set.yaml:1:1: this is not a mapping"),
        ("kind: ImageSetConfiguration\nmirror: {}", "set.yaml:1:1: `apiVersion` is missing"),
        (
            "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v1alpha2\nmirror: {}",
            "set.yaml:2:13: `apiVersion` is not mirror.openshift.io/v2alpha1",
        ),
        (
            "kind: Pod\napiVersion: v1",
            "set.yaml:1:1: `mirror` is missing; and set.yaml:1:7: `kind` is not ImageSetConfiguration; and set.yaml:2:13",
        ),
        ("a: [", "set.yaml: "),
    ] {
        let fault = parsed(text.as_bytes()).unwrap_err();
        assert!(fault.line().starts_with(expected), "{text}: {}", fault.line());
    }
}

#[test]
fn what_is_not_followed_is_named() {
    let text = configuration(
        "    platforms: [{os: linux}]\n  platform: {channels: [{name: stable-4.19}]}\n  helm: {}\n  samples: []\narchiveSize: 4\n",
    );
    let set = parsed(text.as_bytes()).unwrap();
    let passed_over: Vec<&str> = set.passed_over.iter().map(String::as_str).collect();
    assert_eq!(passed_over, ["archiveSize", "mirror.operators.platforms", "mirror.platform"]);
}

/// Files that are almost right: each is read or refused, and a refusal says something.
#[test]
fn no_file_is_too_strange() {
    let whole = configuration(
        "    packages:\n    - name: a\n      defaultChannel: stable\n      channels:\n      - name: stable\n        \
         minVersion: 1.0.0\n        maxVersion: 3.0.0\n  additionalImages: [{name: quay.io/x/y:v1}]\n  blockedImages: \
         [{name: '.*x'}]\n",
    );
    let pieces: [&[u8]; 14] = [
        b"", b"null", b"[]", b"{}", b"\xff", b": ", b"- ", b"&a ", b"*a", b"\n", b"'", b"[", b"1e400",
        b"(((((",
    ];
    let mut state = 12_u64;
    let mut below = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    let mut read = 0;
    for _ in 0..3_000 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..=below(3) {
            let at = below(bytes.len());
            let end = (at + below(12)).min(bytes.len());
            bytes.splice(at..end, pieces[below(pieces.len())].iter().copied());
        }
        match parsed(&bytes) {
            Ok(_) => read += 1,
            Err(failure) => assert!(!failure.line().is_empty()),
        }
    }
    assert!((20..2_900).contains(&read), "{read}");
}
