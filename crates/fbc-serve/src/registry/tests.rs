//! Answers over a small catalog; their order and words were compared with those of opm.

use std::path::Path;
use std::sync::Arc;

use fbc_model::load::load_bytes;

use super::message::GroupVersionKind;
use super::reflection::ReflectionServices;
use super::*;

const CATALOG: &str = r#"
schema: olm.package
name: lamp
defaultChannel: stable
description: Lamps
icon: {base64data: aGk=, mediatype: text/plain}
---
schema: olm.channel
package: lamp
name: stable
entries:
- name: lamp.v1.0.0
- {name: lamp.v1.1.0, replaces: lamp.v1.0.0, skips: [lamp.v1.0.1, lamp.v1.0.0], skipRange: <1.1.0}
---
schema: olm.channel
package: lamp
name: beta
entries: [{name: lamp.v1.1.0}]
---
schema: olm.bundle
package: lamp
name: lamp.v1.0.0
image: quay.io/lamp:v1.0.0
properties:
- {type: olm.package, value: {packageName: lamp, version: 1.0.0}}
- {type: olm.gvk, value: {group: lamp.io, version: v1, kind: Lamp}}
---
schema: olm.bundle
package: lamp
name: lamp.v1.1.0
image: quay.io/lamp:v1.1.0
relatedImages: [{name: lamp, image: "quay.io/lamp:v1.1.0"}]
properties:
- {type: olm.package, value: {packageName: lamp, version: 1.1.0}}
- {type: olm.gvk, value: {kind: Lamp, group: lamp.io, version: v1}}
- {type: olm.package.required, value: {packageName: oil, versionRange: ">=1 <2"}}
- type: olm.csv.metadata
  value: {displayName: Lamp <light>, annotations: {a: b}, crdDescriptions: {owned: [{name: lamps.lamp.io, version: v1, kind: Lamp}]}}
---
schema: olm.deprecations
package: lamp
entries:
- {reference: {schema: olm.package}, message: dark}
- {reference: {schema: olm.channel, name: beta}, message: old channel}
- {reference: {schema: olm.bundle, name: lamp.v1.0.0}, message: old bundle}
---
schema: x.y
package: lamp
name: extra
value: [1, true, null, {a: b}]
"#;

fn registry() -> Registry {
    let catalog = load_bytes(Path::new("catalog.yaml"), CATALOG.as_bytes());
    assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
    Registry::new(Arc::new(catalog)).unwrap()
}

fn lamp() -> GroupVersionKind {
    GroupVersionKind {
        group: "lamp.io".to_owned(),
        version: "v1".to_owned(),
        kind: "Lamp".to_owned(),
        plural: String::new(),
    }
}

#[test]
fn packages_have_their_channels_by_name() {
    let package = registry().package("lamp").unwrap();
    let channels: Vec<(&str, &str)> =
        package.channels.iter().map(|channel| (channel.name.as_str(), channel.csv_name.as_str())).collect();
    assert_eq!(channels, [("beta", "lamp.v1.1.0"), ("stable", "lamp.v1.1.0")]);
    assert_eq!(package.deprecation.unwrap().message, "dark");
    assert_eq!(package.channels[0].deprecation.clone().unwrap().message, "old channel");
}

#[test]
fn bundles_are_complete_alone_and_have_edges_in_lists() {
    let registry = registry();
    let single = registry.bundle("lamp", "stable", "lamp.v1.1.0").unwrap();
    assert_eq!((single.replaces.as_str(), single.skips.len()), ("", 0));
    assert_eq!(single.skip_range, "<1.1.0");
    assert_eq!(single.dependencies[0].value, r#"{"packageName":"oil","version":">=1 <2"}"#);
    let types: Vec<&str> = single.properties.iter().map(|property| property.r#type.as_str()).collect();
    assert_eq!(types, ["olm.package", "olm.gvk", "olm.package.required"]);
    assert_eq!(
        single.csv_json,
        concat!(
            r#"{"kind":"ClusterServiceVersion","apiVersion":"operators.coreos.com/v1alpha1","#,
            r#""metadata":{"name":"lamp.v1.1.0","annotations":{"a":"b"}},"#,
            r#""spec":{"install":{"strategy":"deployment","spec":{"deployments":null}},"version":"1.1.0","#,
            r#""customresourcedefinitions":{"owned":[{"name":"lamps.lamp.io","version":"v1","kind":"Lamp"}]},"#,
            r#""apiservicedefinitions":{},"displayName":"Lamp \u003clight\u003e","description":"Lamps","provider":{},"#,
            r#""icon":[{"base64data":"aGk=","mediatype":"text/plain"}],"cleanup":{"enabled":false},"#,
            r#""relatedImages":[{"name":"lamp","image":"quay.io/lamp:v1.1.0"}]},"status":{"cleanup":{}}}"#
        )
    );
    assert_eq!(single.object, std::slice::from_ref(&single.csv_json));
    let order: Vec<(&str, &str)> = registry.listing.iter().map(|key| (&*key.channel, &*key.bundle)).collect();
    assert_eq!(order, [("beta", "lamp.v1.1.0"), ("stable", "lamp.v1.0.0"), ("stable", "lamp.v1.1.0")]);
    let listed = registry.message(&registry.listing[2], bundle::Extent::Listed).unwrap();
    assert_eq!(listed.replaces, "lamp.v1.0.0");
    assert_eq!(listed.skips, ["lamp.v1.0.1", "lamp.v1.0.0"]);
    assert_eq!((listed.csv_json.as_str(), listed.object.len()), ("", 0));
}

#[test]
fn edges_are_found_from_both_ends() {
    let registry = registry();
    assert_eq!(registry.replacement("lamp.v1.0.1", "lamp", "stable").unwrap().csv_name, "lamp.v1.1.0");
    let replacing = |name: &str| registry.entries_that_replace(name).map(|entries| entries.len());
    assert_eq!(replacing("lamp.v1.0.0"), Ok(1));
    assert_eq!(replacing("lamp.v1.0.1"), Ok(1));
    let providing = registry.entries_that_provide(&lamp(), false).unwrap();
    let replaced: Vec<(&str, &str)> =
        providing.iter().map(|entry| (entry.channel_name.as_str(), entry.replaces.as_str())).collect();
    assert_eq!(
        replaced,
        [("beta", ""), ("stable", ""), ("stable", "lamp.v1.0.0"), ("stable", "lamp.v1.0.1")]
    );
    // Of heads, what is skipped counts only if the channel has it.
    assert_eq!(registry.entries_that_provide(&lamp(), true).unwrap().len(), 2);
    assert_eq!(registry.default_provider(&lamp()).unwrap().channel_name, "stable");
}

#[test]
fn refusals_have_the_words_of_opm() {
    let registry = registry();
    let unknown = GroupVersionKind { kind: "X".to_owned(), ..lamp() };
    let refusals = [
        (registry.package("x").err(), r#"package "x" not found"#),
        (registry.bundle("x", "a", "b").err(), r#"package "x" not found"#),
        (registry.bundle("lamp", "a", "b").err(), r#"package "lamp", channel "a" not found"#),
        (
            registry.bundle("lamp", "beta", "b").err(),
            r#"package "lamp", channel "beta", bundle "b" not found"#,
        ),
        (registry.replacement("b", "x", "beta").err(), "package x not found"),
        (
            registry.replacement("b", "lamp", "beta").err(),
            r#"no entry found for package "lamp", channel "beta""#,
        ),
        (registry.entries_that_replace("b").err(), "no channel entries found that replace b"),
        (
            registry.entries_that_provide(&unknown, false).err(),
            r#"no channel entries found that provide group:"lamp.io" version:"v1" kind:"X""#,
        ),
    ];
    for (found, expected) in refusals {
        assert_eq!(found.map(|refusal| refusal.to_string()).as_deref(), Some(expected));
    }
}

#[test]
fn other_schemas_are_found_by_schema_and_package() {
    let registry = registry();
    assert_eq!(registry.custom_blobs("x.y", "lamp").count(), 1);
    assert_eq!(registry.custom_blobs("x.y", "").count(), 0);
    let blob = registry.custom_blobs("x.y", "lamp").next().unwrap();
    assert_eq!(blob.fields.len(), 4);
    assert_eq!(
        super::custom::check_key("a b", "").unwrap_err().to_string(),
        r#"invalid schema "a b": must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$"#
    );
}

#[test]
fn the_description_of_the_api_is_consistent() {
    assert!(ReflectionServices::new().is_some());
}
