//! Small bundles and what becomes of them.

use fbc_model::tree::MemoryTree;

use super::*;

const VERSION: &str = "kind: ClusterServiceVersion\nmetadata: {name: f.v1.0.0}\n";
const ANNOTATIONS: &str = "annotations: {operators.operatorframework.io.bundle.package.v1: f}\n";

fn rendered(version: &str, extra: &[(&str, &str)]) -> Result<Bundle, String> {
    let files = [("manifests/csv.yaml", version), ("metadata/annotations.yaml", ANNOTATIONS)];
    let tree: MemoryTree = files.iter().chain(extra).map(|(path, text)| (*path, *text)).collect();
    let folder = BundleFolder::read(&tree).map_err(|error| error.to_string())?;
    render(&folder, None).map_err(|error| error.to_string())
}

fn shown(bundle: &Bundle) -> Vec<String> {
    let properties = bundle.properties.iter().filter(|property| property.kind != "olm.bundle.object");
    properties
        .map(|property| {
            let json = property.value.as_ref().and_then(|value| value.json().map(str::to_owned));
            format!("{} {}", property.kind, json.unwrap_or_default())
        })
        .collect()
}

#[test]
fn properties_come_from_all_sides() {
    let version = format!("{VERSION}spec: {{version: 1.0.0, release: 2}}\n");
    let properties = "properties:\n- {type: a, value: {z: '<', b: 1.50}}\n- {type: olm.package, value: {packageName: x, version: 9.9.9}}\n";
    let dependencies = "dependencies:\n- {type: olm.gvk, value: {group: g, version: v1, kind: K}}\n- {type: olm.package, value: {packageName: q, version: '>1.0.0'}}\n";
    let bundle = rendered(
        &version,
        &[("metadata/properties.yaml", properties), ("metadata/dependencies.yaml", dependencies)],
    )
    .unwrap();
    assert_eq!(
        shown(&bundle),
        [
            r#"a {"b":1.5,"z":"\u003c"}"#,
            r#"olm.gvk.required {"group":"g","kind":"K","version":"v1"}"#,
            r#"olm.package {"packageName":"f","version":"1.0.0","release":"2"}"#,
            r#"olm.package.required {"packageName":"q","versionRange":">1.0.0"}"#,
        ]
    );
}

#[test]
fn integers_keep_their_digits_and_floats_are_rounded() {
    for (written, as_type, in_manifest) in [
        ("1e7", "1e+07", "10000000"),
        ("1234567.0", "1.234567e+06", "1234567"),
        ("12345678901", "12345678901", "12345678901"),
        ("9007199254740993", "9007199254740993", "9007199254740993"),
        ("-9007199254740993", "-9007199254740993", "-9007199254740993"),
        ("18446744073709551615", "18446744073709551615", "18446744073709552000"),
        ("-0.0", "-0", "0"),
        ("0.5", "0.5", "0.5"),
    ] {
        let manifest = format!("kind: ConfigMap\nmetadata: {{name: a}}\ndata: {written}\n");
        let properties = format!("properties:\n- {{type: {written}, value: 1}}\n");
        let version = format!("{VERSION}spec: {{version: 1.0.0}}\n");
        let files =
            [("manifests/map.yaml", manifest.as_str()), ("metadata/properties.yaml", properties.as_str())];
        let bundle = rendered(&version, &files).unwrap();
        assert!(bundle.properties.iter().any(|property| property.kind == as_type), "{written}: {bundle:?}");
        let objects: Vec<String> = bundle
            .properties
            .iter()
            .filter(|property| property.kind == "olm.bundle.object")
            .filter_map(|property| property.value.as_ref()?.json().map(str::to_owned))
            .map(|json| json.split('"').nth(3).map(|data| base64::decode(data).unwrap()).unwrap_or_default())
            .map(|bytes| String::from_utf8(bytes).unwrap())
            .collect();
        let expected = format!("\"data\":{in_manifest},");
        assert!(objects.iter().any(|object| object.contains(&expected)), "{written}: {objects:?}");
    }
}

#[test]
fn refusals_are_those_of_the_reference() {
    for (version, extra, expected) in [
        ("kind: ConfigMap\n", None, "no csv in bundle"),
        ("- no object\n", None, "no bundle objects found"),
        (
            VERSION,
            None,
            "error checking provided apis in bundle f.v1.0.0: error getting apiservice definitions: error unmarshaling into object map: unexpected end of JSON input",
        ),
        (
            "kind: ClusterServiceVersion\nspec: {version: 1}\n",
            None,
            "failed to derive properties: json: cannot unmarshal number into Go value of type string",
        ),
        (
            "kind: ClusterServiceVersion\nmetadata: {name: f}\nspec: {customresourcedefinitions: {owned: [{name: foos, kind: Foo, version: v1}]}}\n",
            None,
            "error checking provided apis in bundle f: couldn't parse plural.group from crd name: foos",
        ),
        (
            "kind: ClusterServiceVersion\nmetadata: {name: f}\nspec: {customresourcedefinitions: {owned: [{name: foos.x.y, kind: Foo, version: v2}]}}\n",
            Some((
                "manifests/crd.yaml",
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: x.y, names: {kind: Foo, plural: foos}, versions: [{name: v1}]}\n",
            )),
            "error checking provided apis in bundle f: couldn't find x.y/v2/Foo (foos) in bundle. found: map[x.y/v1/Foo (foos):{}]",
        ),
    ] {
        let extra: Vec<_> = extra.into_iter().collect();
        assert_eq!(rendered(version, &extra).map(|_| ()), Err(expected.to_owned()));
    }
}

#[test]
fn images_of_deployments_are_related() {
    let version = format!(
        "{VERSION}spec:\n  relatedImages: [{{name: main, image: q/b:1}}]\n  install:\n    strategy: deployment\n    spec: {{deployments: [{{spec: {{template: {{spec: {{containers: [{{image: q/b:1}}, {{image: q/a:1}}], initContainers: [{{image: q/c:1}}]}}}}}}}}]}}\n"
    );
    let images = rendered(&version, &[]).unwrap().related_images;
    let images: Vec<_> = images.iter().map(|image| (image.name.as_str(), image.image.as_str())).collect();
    assert_eq!(images, [("main", "q/b:1"), ("", "q/a:1"), ("", "q/c:1")]);
}

fn annotated(annotations: &str) -> Result<Bundle, String> {
    let version = format!("{VERSION}spec: {{version: 1.0.0}}\n");
    let files = [("manifests/csv.yaml", version.as_str()), ("metadata/annotations.yaml", annotations)];
    let tree: MemoryTree = files.into_iter().collect();
    let folder = BundleFolder::read(&tree).map_err(|error| error.to_string())?;
    render(&folder, None).map_err(|error| error.to_string())
}

#[test]
fn annotations_that_are_no_text_are_made_text() {
    let key = "operators.operatorframework.io.bundle.package.v1";
    for (annotations, package) in [
        (format!("annotations: {{{key}: 3}}\n"), "3"),
        (format!("annotations: {{{key}: true}}\n"), "true"),
        (format!("annotations: {{{key}: 1.5}}\n"), "1.5"),
        (format!("annotations: {{{key}: 2001-01-01}}\n"), "2001-01-01"),
        (format!("annotations: {{{key}: .inf}}\n"), "+Inf"),
        (format!("annotations: {{{key}: [a], {key}: .nan}}\n"), "NaN"),
        (format!("Annotations: {{{}: f}}\n", key.to_uppercase()), "f"),
        (format!("{{\"annotations\": {{\"{key}\": 3}}}}"), "3"),
    ] {
        assert_eq!(
            annotated(&annotations).map(|bundle| bundle.package),
            Ok(package.to_owned()),
            "{annotations}"
        );
    }
    for annotations in [
        format!("annotations: {{{key}: [a]}}\n"),
        format!("annotations: {{{key}: p, other: .inf}}\n"),
        "annotations: 3\n".to_owned(),
        "annotations:\n".to_owned(),
    ] {
        assert_eq!(
            annotated(&annotations).map(|_| ()),
            Err("Could not find annotations file".to_owned()),
            "{annotations}"
        );
    }
}

#[test]
fn contents_have_the_types_of_kubernetes() {
    let version = format!("{VERSION}spec: {{version: 1.0.0}}\n");
    let crd =
        |rest: &str| format!("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n{rest}");
    let definition = |text: &str| rendered(&version, &[("manifests/crd.yaml", text)]).map(|_| ());
    assert_eq!(
        definition(&crd("spec: {versions: [{name: v1, served: \"yes\"}]}\n")),
        Err("error decoding v1 CRD: json: cannot unmarshal string into Go struct field CustomResourceDefinitionVersion.spec.versions.served of type bool".to_owned())
    );
    assert_eq!(
        definition("apiVersion: foo.io/v1\nkind: CustomResourceDefinition\n"),
        Err("error decoding v1 CRD: no kind \"CustomResourceDefinition\" is registered for version \"foo.io/v1\" in scheme \"github.com/operator-framework/operator-registry/pkg/registry/bundle.go:24\"".to_owned())
    );
    // What comes before the line is lost with it, and so is what would be wrong there.
    assert_eq!(definition(&crd("spec: {versions: 3}\n---x\n")), Ok(()));
    let deployment = "kind: ClusterServiceVersion\nmetadata: {name: f}\nspec: {install: {strategy: deployment, spec: {deployments: [{spec: {template: {spec: {containers: [{image: q/a, resources: {limits: {cpu: lots}}}]}}}}]}}}\n";
    assert_eq!(
        rendered(deployment, &[]).map(|_| ()),
        Err("get related images for bundle \"f\": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'".to_owned())
    );
    assert_eq!(
        rendered("kind: ClusterServiceVersion\nmetadata: {labels: [a]}\n", &[]).map(|_| ()),
        Err("json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string at offset 54 (indicated by <==)\n{\n    \"kind\": \"ClusterServiceVersion\",\n    \"metadata\": {\n        \"labels\": [ <== \n            \"a\"\n        ]\n    }\n}".to_owned())
    );
    // Numbers that are shown are those of the decoder.
    let annotated = "kind: ClusterServiceVersion\nmetadata: {annotations: {a: 9007199254740993}}\n";
    let text = rendered(annotated, &[]).map(|_| ()).unwrap_err();
    assert!(text.contains("\"a\": 9007199254740993 <== "), "{text}");
}

#[test]
fn a_property_without_value_has_none() {
    let version = format!("{VERSION}spec: {{version: 1.0.0}}\n");
    let bundle = rendered(&version, &[("metadata/p.yaml", "properties: [{type: a}]\n")]).unwrap();
    assert_eq!(shown(&bundle)[0], "a null");
}
