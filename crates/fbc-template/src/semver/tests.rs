//! The worked examples and refusals of semver templates.

use crate::OpmSemantics;
use crate::TemplateKind::Semver;
use crate::testing::{Images, bundle, expand_as, property, yaml};

/// A list of images named by versions.
fn list(versions: &str) -> String {
    let items: Vec<String> =
        versions.split_whitespace().map(|version| format!("{{image: v{version}}}")).collect();
    format!("{{bundles: [{}]}}", items.join(", "))
}

fn images(versions: &str) -> Images {
    let names: Vec<String> = versions.split_whitespace().map(|version| format!("v{version}")).collect();
    let rows: Vec<_> =
        names.iter().map(|name| (name.as_str(), "testop", name.strip_prefix('v').unwrap(), "")).collect();
    Images::from_rows(&rows)
}

/// The package and the channels of an expansion, which come before the bundles.
fn channels(text: &str, images: &Images) -> String {
    let yaml = yaml(Semver, text, images).unwrap();
    yaml.split("---\nimage:").next().unwrap().to_owned()
}

#[test]
fn minor_channels() {
    let text =
        format!("schema: olm.semver\nstable: {}\nfast: {}\n", list("1.1.0 1.0.0 1.1.1"), list("2.0.0"));
    let images = images("1.0.0 1.1.0 1.1.1 2.0.0");
    assert_eq!(
        channels(&text, &images),
        "---\ndefaultChannel: stable-v1.1\ndescription: desc 1.1.1\nname: testop\nschema: olm.package\n\
         ---\nentries:\n- name: testop.v2.0.0\nname: fast-v2.0\npackage: testop\nschema: olm.channel\n\
         ---\nentries:\n- name: testop.v1.0.0\nname: stable-v1.0\npackage: testop\nschema: olm.channel\n\
         ---\nentries:\n- name: testop.v1.1.0\n- name: testop.v1.1.1\n  replaces: testop.v1.0.0\n  skips:\n  \
         - testop.v1.1.0\nname: stable-v1.1\npackage: testop\nschema: olm.channel\n"
    );
    // Every image once, in the order of the lists.
    assert_eq!(*images.asked.borrow(), ["v2.0.0", "v1.1.0", "v1.0.0", "v1.1.1"]);
}

#[test]
fn major_channels() {
    let versions = "1.0.0 1.1.0 1.1.1 1.2.0";
    let text = format!("schema: olm.semver\ngenerateMajorChannels: true\ncandidate: {}\n", list(versions));
    assert_eq!(
        channels(&text, &images(versions)),
        "---\ndefaultChannel: candidate-v1\ndescription: desc 1.2.0\nname: testop\nschema: olm.package\n\
         ---\nentries:\n- name: testop.v1.0.0\n- name: testop.v1.1.0\n- name: testop.v1.1.1\n  replaces: \
         testop.v1.0.0\n  skips:\n  - testop.v1.1.0\n- name: testop.v1.2.0\n  replaces: testop.v1.1.1\n  \
         skips:\n  - testop.v1.0.0\n  - testop.v1.1.0\nname: candidate-v1\npackage: testop\nschema: olm.channel\n"
    );
}

#[test]
fn the_default_channel() {
    for (settings, candidate, fast, stable, expected) in [
        ("generateMajorChannels: true", "1.0.0 2.0.0", "", "", "candidate-v2"),
        ("generateMajorChannels: true", "9.0.0", "", "1.0.0", "stable-v1"),
        ("", "", "1.0.0 1.10.0 1.9.0", "", "fast-v1.10"),
        // Of channels that begin with the same version the kind decides.
        ("generateMajorChannels: true\ngenerateMinorChannels: true", "1.0.0", "", "", "candidate-v1.0"),
        (
            "generateMajorChannels: true\ngenerateMinorChannels: true\ndefaultChannelTypePreference: major",
            "1.0.0",
            "",
            "",
            "candidate-v1",
        ),
        // The version goes before the kind.
        (
            "generateMajorChannels: true\ngenerateMinorChannels: true\ndefaultChannelTypePreference: major",
            "1.0.0 1.1.0",
            "",
            "",
            "candidate-v1.1",
        ),
        ("", "0.0.0", "", "", "candidate-v0.0"),
        // Below the version that the comparison starts from.
        ("", "0.0.0-alpha", "", "", "\"\""),
    ] {
        let text = format!(
            "schema: olm.semver\n{settings}\ncandidate: {}\nfast: {}\nstable: {}\n",
            list(candidate),
            list(fast),
            list(stable)
        );
        let yaml = channels(&text, &images(&format!("{candidate} {fast} {stable}")));
        let found = yaml.lines().find_map(|line| line.strip_prefix("defaultChannel: ")).unwrap();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn the_head_of_the_default_channel_gives_icon_and_description() {
    let mut images = images("1.0.0");
    let manifest = fbc_go::base64::encode(
        br#"{"kind":"ClusterServiceVersion","spec":{"description":5,"icon":[{"base64data":"PHN2Zy8+","mediatype":"image/svg+xml"}]}}"#,
    );
    let mut described = bundle("v1.0.0", "testop", "1.0.0", "");
    described.properties[0] = property("olm.bundle.object", &format!("{{\"data\":\"{manifest}\"}}"));
    described.properties.push(property("olm.csv.metadata", "{}"));
    images.bundles.insert("v1.0.0".to_owned(), described);
    assert_eq!(
        channels(&format!("schema: olm.semver\nfast: {}\n", list("1.0.0")), &images),
        "---\ndefaultChannel: fast-v1.0\nicon:\n  base64data: PHN2Zy8+\n  mediatype: image/svg+xml\nname: \
         testop\nschema: olm.package\n---\nentries:\n- name: testop.v1.0.0\nname: fast-v1.0\npackage: testop\n\
         schema: olm.channel\n"
    );
}

#[test]
fn refusals() {
    let mut images = Images::from_rows(&[
        ("a", "testop", "1.0.0", ""),
        ("b", "testop", "1.0.0+b2", ""),
        ("c", "other", "1.0.0", ""),
        ("d", "testop", "1.0.0", "1"),
        ("e", "testop", "1.0.0", ""),
    ]);
    let mut without_version = bundle("f", "testop", "1.0.0", "");
    without_version.properties.clear();
    images.bundles.insert("f".to_owned(), without_version);
    let file = "render: unable to read file: ";
    let bundles = "render: unable to post-process bundle info: ";
    for (text, prefix, message, place) in [
        (
            "schema: olm.semver",
            "",
            "render: no bundles specified or no bundles could be rendered",
            "schema: olm.semver",
        ),
        ("", file, "readFile: input file has unknown schema, should be \"olm.semver\"", ""),
        ("schema: x", file, "readFile: input file has unknown schema, should be \"olm.semver\"", "x"),
        (
            "schema: olm.semver\nbogus: 1",
            file,
            "error unmarshaling JSON: while decoding JSON: json: unknown field \"bogus\"",
            "bogus",
        ),
        (
            "schema: olm.semver\nfast: {bundles: [{image: a, Bogus: 1}]}\ngenerateMajorChannels: 'no'",
            file,
            "error unmarshaling JSON: while decoding JSON: json: unknown field \"Bogus\"",
            "Bogus",
        ),
        (
            "schema: olm.semver\nzzz: 1\ngenerateMajorChannels: 'no'",
            file,
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field \
             SemverTemplateData.generateMajorChannels of type bool",
            "generateMajorChannels",
        ),
        (
            "schema: olm.semver\nfast: []",
            file,
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field \
             SemverTemplateData.fast of type semver.channelBundles",
            "fast",
        ),
        (
            "schema: olm.semver\nfast:\n  bundles: []\n  bundles:\n  - image: a\nschema: b",
            file,
            "error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key \"bundles\" already set in \
             map\n  line 6: key \"schema\" already set in map",
            "bundles",
        ),
        (
            "schema: [",
            file,
            "error converting YAML to JSON: yaml: line 1: did not find expected node content",
            "",
        ),
        (
            "schema: olm.semver\nDefaultChannelTypePreference: bogus",
            file,
            "unknown DefaultChannelTypePreference: \"bogus\"\nValid values are 'major' or 'minor'",
            "bogus",
        ),
        (
            "schema: olm.semver\ndefaultChannelTypePreference: major",
            file,
            "schema attribute mismatch: DefaultChannelTypePreference set to 'major' doesn't make sense if not \
             generating major-version channels",
            "major",
        ),
        (
            "schema: olm.semver\ngenerateMajorChannels: yes\ndefaultChannelTypePreference: minor",
            file,
            "schema attribute mismatch: DefaultChannelTypePreference set to 'minor' doesn't make sense if not \
             generating minor-version channels",
            "minor",
        ),
        (
            "schema: olm.semver\nfast: {bundles: [{image: nope}]}",
            "",
            "render reference \"nope\": no such image",
            "nope",
        ),
        // Numbers and booleans are text where a field is text.
        (
            "schema: olm.semver\nfast: {bundles: [{image: 1.50}]}",
            "",
            "render reference \"1.5\": no such image",
            "1.50",
        ),
        (
            "schema: olm.semver\nfast: {bundles: [{image: a}, {image: a}]}",
            bundles,
            "duplicate bundle name \"testop.v1.0.0\"",
            "{image: a}",
        ),
        (
            "schema: olm.semver\ncandidate: {bundles: [{image: a}]}\nfast: {bundles: [{image: c}]}",
            bundles,
            "bundle \"other\" does not belong to this package: \"testop\"",
            "{image: c}",
        ),
        (
            "schema: olm.semver\nfast: {bundles: [{image: a}, {image: b}]}",
            bundles,
            "encountered bundle versions which differ only by build metadata, which cannot be ordered: bundle \
             version \"1.0.0+b2\" cannot be compared to \"1.0.0\"",
            "{image: b}",
        ),
        (
            "schema: olm.semver\nfast: {bundles: [{image: a}, {image: d}, {image: b}]}",
            bundles,
            "encountered bundle versions which differ only by build metadata, which cannot be ordered: [bundle \
             version \"1.0.0\" cannot be compared to \"1.0.0\", bundle version \"1.0.0+b2\" cannot be compared \
             to \"1.0.0\"]",
            "{image: d}",
        ),
        (
            "schema: olm.semver\nfast: {bundles: [{image: f}]}",
            bundles,
            "bundle \"testop.v1.0.0\" has multiple \"olm.package\" properties, expected exactly 1",
            "{image: f}",
        ),
    ] {
        let found = yaml(Semver, text, &images).unwrap_err();
        assert_eq!(found, (format!("{prefix}{message}"), place.to_owned()), "{text}");
    }
    let text = b"schema: olm.semver\nfast: {bundles: [{image: a}, {image: d}]}";
    let error = crate::testing::expand(Semver, text, &images).unwrap_err();
    assert!(error.help().unwrap().contains("releases"));
}

/// The answers of the opm of each time, channels as `name: version<replaces-skips...`.
#[test]
fn edges_of_older_opms() {
    let versions = "1.0.0 1.0.1 1.0.2 1.1.0 1.1.3 1.3.0 2.0.0 2.0.1";
    let both = "generateMajorChannels: true\ngenerateMinorChannels: true";
    let text = format!(
        "schema: olm.semver\n{both}\ncandidate: {}\nstable: {}\n",
        list("1.0.0 1.0.1 1.0.2 1.1.0 1.1.3 1.3.0"),
        list("2.0.0 2.0.1")
    );
    let shown = |version: &str| {
        let semantics = OpmSemantics::parse(version).unwrap();
        let catalog = expand_as(semantics, Semver, text.as_bytes(), &images(versions)).unwrap();
        let short = |name: &str| name.strip_prefix("testop.v").unwrap_or(name).to_owned();
        let channels = catalog.channels.iter().map(|channel| {
            let entries = channel.entries().iter().map(|entry| {
                let replaces = if entry.replaces.is_empty() { "" } else { "<" };
                let skips: String = entry.skips.iter().map(|name| format!("-{}", short(name))).collect();
                format!(" {}{replaces}{}{skips}", short(&entry.name), short(&entry.replaces))
            });
            format!("{}:{}", channel.name, entries.collect::<String>())
        });
        (channels.collect::<Vec<_>>(), catalog.packages[0].description.clone())
    };
    let minor = [
        "candidate-v1.0: 1.0.0 1.0.1 1.0.2-1.0.0-1.0.1",
        "candidate-v1.1: 1.1.0 1.1.3-1.1.0",
        "candidate-v1.3: 1.3.0",
        "stable-v2: 2.0.0 2.0.1-2.0.0",
        "stable-v2.0: 2.0.0 2.0.1-2.0.0",
    ];
    for (version, major) in [
        (
            "v1.47",
            "candidate-v1: 1.0.0 1.0.1 1.0.2-1.0.0-1.0.1 1.1.0 1.1.3<1.0.2-1.0.2-1.1.0 1.3.0<1.1.3-1.1.3",
        ),
        ("v1.60", "candidate-v1: 1.0.0 1.0.1 1.0.2-1.0.0-1.0.1 1.1.0 1.1.3<1.0.2-1.1.0 1.3.0<1.1.3"),
    ] {
        let (channels, description) = shown(version);
        assert_eq!(channels[0], major, "{version}");
        assert_eq!(channels[1..], minor, "{version}");
        assert_eq!(description, "", "{version}");
    }
    let (channels, description) = shown("v1.61");
    assert_eq!(channels[2], "candidate-v1.1: 1.1.0 1.1.3<1.0.2-1.0.0-1.0.1-1.1.0");
    assert_eq!(description, "");
    assert_eq!(shown("v1.65").1, "desc 2.0.1");
}

#[test]
fn versions_that_skip_all_before_them_are_too_many() {
    let versions =
        |count: usize| (0..count).map(|minor| format!("1.{minor}.0")).collect::<Vec<_>>().join(" ");
    let expanded = |count: usize| {
        let versions = versions(count);
        let text = format!("schema: olm.semver\ngeneratemajorchannels: true\nstable: {}\n", list(&versions));
        expand_as(OpmSemantics::default(), Semver, text.as_bytes(), &images(&versions))
    };
    assert_eq!(expanded(100).unwrap().bundles.len(), 100);
    let error = expanded(4_000).unwrap_err().to_string();
    assert_eq!(error, "the template expands to more than 268435456 bytes");
}
