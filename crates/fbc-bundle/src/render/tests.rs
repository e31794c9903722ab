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
fn refusals_are_those_of_the_reference() {
    for (version, extra, expected) in [
        ("kind: ConfigMap\n", None, "no csv in bundle"),
        ("- no object\n", None, "no bundle objects found"),
        (
            VERSION,
            None,
            "error getting apiservice definitions: error unmarshaling into object map: unexpected end of JSON input",
        ),
        (
            "kind: ClusterServiceVersion\nspec: {version: 1}\n",
            None,
            "json: cannot unmarshal number into Go value of type string",
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
