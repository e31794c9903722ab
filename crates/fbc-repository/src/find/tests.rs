//! What is found in small repositories, and what is too much.

use fbc_go::allowance::ExpansionLimits;
use fbc_model::tree::MemoryTree;
use fbc_version::OpenShiftRelease;

use super::*;

const BLOB: &str = "---\nschema: olm.package\nname: a\n";
const TEMPLATE: &str = "schema: olm.template.basic\nentries: []\n";

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
}

/// `RELEASES PATH TEMPLATE DOCKERFILE`, for each catalog.
fn shown(files: &[(&str, &str)]) -> Vec<String> {
    let found = find(&tree(files)).unwrap();
    let line = |catalog: &CatalogPlace| {
        let releases: Vec<String> = catalog.releases.iter().map(ToString::to_string).collect();
        let mut parts = vec![releases.join(","), catalog.path.display().to_string()];
        parts.extend(catalog.templates.iter().map(|template| template.path.display().to_string()));
        parts.extend(catalog.images.iter().map(|image| image.path.display().to_string()));
        parts.join(" ")
    };
    found.catalogs.iter().map(line).collect()
}

#[test]
fn dockerfiles_beside_their_catalogs() {
    let files = [
        ("v4.18/catalog.Dockerfile", "FROM r/ose-operator-registry:v4.18\nADD v4.18/catalog /configs\n"),
        ("v4.18/catalog-template.json", "{\"schema\": \"olm.template.basic\", \"entries\": []}"),
        ("v4.18/catalog/a/catalog.yaml", BLOB),
        ("v4.9/Containerfile.catalog", "FROM r/ose-operator-registry:v4.9\nCOPY catalog/ /configs\n"),
        ("v4.9/catalog/a/catalog.yaml", BLOB),
    ];
    assert_eq!(
        shown(&files),
        [
            "4.9 v4.9/catalog v4.9/Containerfile.catalog",
            "4.18 v4.18/catalog v4.18/catalog-template.json v4.18/catalog.Dockerfile"
        ]
    );
}

#[test]
fn dockerfiles_at_the_root_share_catalogs() {
    let files = [
        ("Dockerfile-v4-15.catalog", "FROM r/x:v4.15\nCOPY catalog/a-old /configs/a\n"),
        ("Dockerfile-v4-16.catalog", "FROM r/x@sha256:00\nCOPY catalog/a-old /configs/a\n"),
        ("Dockerfile-v5-0.catalog", "FROM r/x:v5.0\nCOPY catalog/a /configs/a\n"),
        ("Dockerfile.gone", "FROM r/x:v5.0\nCOPY gone /configs/a\n"),
        ("catalog/catalog-template.yaml", TEMPLATE),
        ("catalog/a/catalog.yaml", BLOB),
        ("catalog/a-old/catalog.yaml", BLOB),
    ];
    assert_eq!(
        shown(&files),
        [
            "4.15,4.16 catalog/a-old catalog/catalog-template.yaml Dockerfile-v4-15.catalog Dockerfile-v4-16.catalog",
            "5.0 catalog/a catalog/catalog-template.yaml Dockerfile-v5-0.catalog"
        ]
    );
    let notes = find(&tree(&files)).unwrap().notes;
    assert_eq!(notes, [Note::Missing { dockerfile: "Dockerfile.gone".into(), source: "gone".to_owned() }]);
}

/// The targets of the images of a catalog.
fn targets(files: &[(&str, &str)]) -> Vec<String> {
    let found = find(&tree(files)).unwrap();
    let target = |image: &crate::ImageFile| image.target.display().to_string();
    found.catalogs.iter().flat_map(|catalog| catalog.images.iter().map(target)).collect()
}

#[test]
fn files_have_names_in_their_image() {
    let base = "FROM r/x:v4.18\n";
    for (copy, expected) in [
        ("COPY catalog/v4.18/catalog.yaml /configs/a/catalog.yaml", "a/catalog.yaml"),
        ("COPY catalog/v4.18/catalog.yaml /configs/a/index.yaml", "a/index.yaml"),
        ("COPY catalog/v4.18/catalog.yaml /configs/a/", "a/catalog.yaml"),
        ("COPY catalog/v4.18/catalog.yaml /configs", "catalog.yaml"),
        ("ADD catalog/v4.18 /configs/a", "a"),
        ("ADD catalog/v4.18/*.yaml /configs/a/", "a"),
    ] {
        let dockerfile = format!("{base}{copy}\n");
        let files = [("Containerfile.catalog", dockerfile.as_str()), ("catalog/v4.18/catalog.yaml", BLOB)];
        assert_eq!(targets(&files), [expected], "{copy}");
    }
}

#[test]
fn packages_below_releases_have_their_dockerfiles() {
    let files = [
        ("v4.18/a/catalog.Dockerfile", "FROM r/x:v4.18\nADD catalog /configs\n"),
        ("v4.18/a/graph.yaml", TEMPLATE),
        ("v4.18/a/catalog/a/catalog.json", BLOB),
        ("v4.18/b/catalog.Dockerfile", "FROM r/x:v4.18\nADD catalog /configs\n"),
        ("v4.18/b/catalog/b/catalog.json", BLOB),
        ("v4.19/a/catalog.Dockerfile", "FROM r/x:v4.19\nADD catalog /configs\n"),
        ("v4.19/a/catalog/a/catalog.json", BLOB),
    ];
    assert_eq!(
        shown(&files),
        [
            "4.18 v4.18/a/catalog v4.18/a/graph.yaml v4.18/a/catalog.Dockerfile",
            "4.18 v4.18/b/catalog v4.18/b/catalog.Dockerfile",
            "4.19 v4.19/a/catalog v4.19/a/catalog.Dockerfile"
        ]
    );
}

#[test]
fn catalogs_that_are_made_and_not_committed() {
    let files = [
        ("v4.18/Dockerfile", "FROM r/x:v4.18\nADD v4.18/catalog /configs\n"),
        ("v4.18/catalog-template.yaml", TEMPLATE),
        ("v4.19/Dockerfile", "FROM r/x:v4.19\nADD catalog /configs\n"),
        ("v4.19/catalog-template.yaml", TEMPLATE),
        ("v4.20/Dockerfile", "FROM r/x:v4.20\nADD catalog /configs\n"),
    ];
    assert_eq!(
        shown(&files),
        [
            "4.18 v4.18/catalog v4.18/catalog-template.yaml v4.18/Dockerfile",
            "4.19 v4.19/catalog v4.19/catalog-template.yaml v4.19/Dockerfile"
        ]
    );
    let found = find(&tree(&files)).unwrap();
    assert!(found.catalogs.iter().all(|catalog| catalog.is_absent));
    let missing = Note::Missing { dockerfile: "v4.20/Dockerfile".into(), source: "v4.20/catalog".to_owned() };
    assert_eq!(found.notes, [missing]);
}

#[test]
fn arguments_of_pipelines_name_catalogs() {
    let run = |stream: &str| {
        format!(
            "kind: PipelineRun\nspec:\n  params:\n  - {{name: dockerfile, value: Dockerfile}}\n  - name: build-args\n    \
             value: [\"BASE=r/x:v4.20\", \"INDEX_FILE=./made/{stream}.yaml\"]\n"
        )
    };
    let dockerfile = "ARG BASE\nFROM ${BASE}\nARG INDEX_FILE\nCOPY $INDEX_FILE /configs/a/index.yaml\n";
    let (y, z) = (run("y"), run("z"));
    let mut files = vec![
        ("Dockerfile", dockerfile),
        ("made/y.yaml", BLOB),
        ("made/z.yaml", BLOB),
        ("templates/y.yaml", TEMPLATE),
        ("templates/z.yaml", TEMPLATE),
        (".tekton/y.yaml", y.as_str()),
        (".tekton/z.yaml", z.as_str()),
    ];
    assert_eq!(
        shown(&files),
        ["4.20 made/y.yaml templates/y.yaml Dockerfile", "4.20 made/z.yaml templates/z.yaml Dockerfile"]
    );
    assert_eq!(targets(&files), ["a/index.yaml"; 2]);
    files.retain(|(path, _)| !path.starts_with(".tekton") && !path.starts_with("made"));
    let unknown =
        Note::UnknownArgument { dockerfile: "Dockerfile".into(), argument: "INDEX_FILE".to_owned() };
    assert_eq!(find(&tree(&files)).unwrap().notes, [unknown]);
}

#[test]
fn a_dockerfile_of_all_releases_makes_no_catalog() {
    let catalogs = [
        ("catalog/v4.17/catalog.yaml", BLOB),
        ("catalog/v4.18/catalog.yaml", BLOB),
        ("catalog/a/package.yaml", BLOB),
    ];
    let expected = ["4.17 catalog/v4.17", "4.18 catalog/v4.18"];
    let note = Note::SeveralReleases {
        dockerfile: "Dockerfile.dev".into(),
        releases: vec![OpenShiftRelease::new(4, 17), OpenShiftRelease::new(4, 18)],
    };
    for copies in [
        "ADD catalog /configs",
        "COPY . /configs",
        "COPY catalog/v4.17 /configs/v4.17\nCOPY catalog/v4.18 /configs/v4.18",
    ] {
        let dockerfile = format!("FROM r/x:v4.19\n{copies}\n");
        let mut files = vec![("Dockerfile.dev", dockerfile.as_str())];
        files.extend(catalogs);
        assert_eq!(shown(&files), expected, "{copies}");
        assert_eq!(find(&tree(&files)).unwrap().notes, std::slice::from_ref(&note), "{copies}");
    }
}

#[test]
fn versions_of_something_else_are_no_releases() {
    let files = [
        ("v10.16/Containerfile.catalog", "FROM r/x:v4.16\nCOPY catalog/ /configs\n"),
        ("v10.16/catalog/a/catalog.yaml", BLOB),
        ("v10.17/catalog/a/catalog.yaml", BLOB),
    ];
    assert_eq!(shown(&files), [" v10.17/catalog", "4.16 v10.16/catalog v10.16/Containerfile.catalog"]);
    assert_eq!(find(&tree(&files)).unwrap().notes, [Note::NoRelease("v10.17".into())]);
}

#[test]
fn one_dockerfile_with_an_argument() {
    let files = [
        ("catalog.Dockerfile", "FROM r/opm\nARG INPUT_DIR\nCOPY ./${INPUT_DIR}/ /configs/a\n"),
        ("catalog-template.yaml", TEMPLATE),
        ("catalog-4-14/package.yaml", BLOB),
        ("catalog-4-14/bundles/a.yaml", "schema: olm.bundle\n"),
        ("catalog-4-9/package.yaml", BLOB),
    ];
    assert_eq!(
        shown(&files),
        [
            "4.9 catalog-4-9 catalog-template.yaml catalog.Dockerfile",
            "4.14 catalog-4-14 catalog-template.yaml catalog.Dockerfile"
        ]
    );
    let arguments = find(&tree(&files)).unwrap().catalogs[0].images[0].arguments.clone();
    assert_eq!(arguments, [("INPUT_DIR".to_owned(), "catalog-4-9".to_owned())]);
}

#[test]
fn catalogs_of_many_operators() {
    let mapping = "fbc:\n  enabled: true\n  catalog_mapping:\n  - {template_name: t.yaml, catalog_names: [v4.17, v4.18], type: olm.semver}\n";
    let files = [
        ("catalogs/v4.17/a/catalog.yaml", BLOB),
        ("catalogs/v4.18/a/catalog.yaml", BLOB),
        ("catalogs/v4.18/b/catalog.yaml", BLOB),
        ("operators/a/ci.yaml", mapping),
        ("operators/a/catalog-templates/t.yaml", "schema: olm.semver\n"),
        ("operators/a/4.18/manifests/x.yaml", "kind: Service\n"),
        ("operators/a/4.18/metadata/annotations.yaml", "annotations: {}\n"),
        ("operators/b/ci.yaml", "reviewers: []\n"),
    ];
    assert_eq!(
        shown(&files),
        [
            "4.17 catalogs/v4.17 operators/a/catalog-templates/t.yaml",
            "4.18 catalogs/v4.18 operators/a/catalog-templates/t.yaml"
        ]
    );
}

#[test]
fn directories_of_releases() {
    let files = [
        ("catalog/v4.18/catalog-template.yaml", TEMPLATE),
        ("catalog/v4.18/a/catalog.yaml", BLOB),
        ("catalog/v4.19/a/catalog.yaml", BLOB),
        ("catalog/v4.19/b/catalog.yaml", BLOB),
        ("releases/4.4/notes.yaml", "kind: Release\n"),
    ];
    assert_eq!(
        shown(&files),
        ["4.18 catalog/v4.18/a catalog/v4.18/catalog-template.yaml", "4.19 catalog/v4.19"]
    );
}

#[test]
fn blobs_alone_and_nothing_at_all() {
    assert_eq!(shown(&[("a/b/catalog.yaml", BLOB), ("README.md", "x")]), [" a"]);
    assert_eq!(shown(&[("main.go", "x"), ("config/x.yaml", "kind: Pod\n")]), [""; 0]);
}

#[test]
fn the_configuration_says_it_all() {
    let files = [
        ("fbc.toml", "[[catalogs]]\npath = \"c/{minor}\"\nocp = [\"4.17..4.18\"]\n"),
        ("v4.18/catalog/a/catalog.yaml", BLOB),
    ];
    assert_eq!(shown(&files), ["4.17 c/17", "4.18 c/18"]);
}

#[test]
fn what_expands_without_end_is_refused_by_name() {
    let releases = "\"4.0..4.99\", \"5.0..5.99\", \"4.100..4.199\"";
    let long = "x".repeat(1_000);
    let matrix = format!("[[catalogs]]\npath = \"{long}/{{ocp}}\"\nocp = [{releases}]\n");
    let names: Vec<String> = (0..200).map(|n| format!("c{n}")).collect();
    let mapping = format!(
        "fbc: {{catalog_mapping: [{{template_name: {long}, catalog_names: [{}]}}]}}",
        names.join(", ")
    );
    let copies: String = (0..200).map(|n| format!("COPY a /configs/{n}\n")).collect();
    let base = format!("FROM {long}\n{copies}");
    for (path, text, shown) in [
        (CONFIGURATION, matrix, "fbc.toml: `catalogs` expands"),
        ("operators/a/ci.yaml", mapping, "operators/a/ci.yaml: `catalog_mapping` expands"),
        ("Dockerfile", base, "Dockerfile: what it copies expands"),
    ] {
        let allowance = Allowance::new(ExpansionLimits { bytes: 100_000, ..ExpansionLimits::USUAL });
        let error = find_within(&tree(&[(path, &text)]), &allowance).unwrap_err();
        assert_eq!(error.to_string(), format!("{shown} to more than 100000 bytes"));
        assert!(find(&tree(&[(path, &text)])).is_ok(), "{path}");
    }
}

#[test]
fn many_copies_for_many_catalogs_are_refused() {
    let names: Vec<String> = (0..100).map(|n| format!("cat{n}/v4.17/catalog.yaml")).collect();
    let find_with = |dockerfile: &str| {
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), BLOB)).collect();
        files.push(("Dockerfile", dockerfile));
        find_within(
            &tree(&files),
            &Allowance::new(ExpansionLimits { steps: 50_000, ..ExpansionLimits::USUAL }),
        )
    };
    let copies = |line: &dyn Fn(usize) -> String| -> String { (0..1_000).map(line).collect() };
    for line in [
        &|n| format!("COPY $a/{n} /configs\n"),
        // The first one gives every catalog its image.
        &|n| format!("COPY $a /configs/{n}\n"),
    ] as [&dyn Fn(usize) -> String; 2]
    {
        let error = find_with(&copies(line)).unwrap_err();
        assert_eq!(error.to_string(), "Dockerfile: what it copies takes more than 50000 steps");
    }
    let found = find_with(&copies(&|_| "COPY $a /configs\n".to_owned())).unwrap();
    assert!(found.catalogs.len() == 100 && found.catalogs.iter().all(|catalog| catalog.images.len() == 1));
}

#[test]
fn many_catalogs_are_refused_by_their_repository() {
    let files: Vec<String> = (0..100).map(|n| format!("cat{n}/v4.17/catalog.yaml")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), BLOB)).collect();
    let allowance = Allowance::new(ExpansionLimits { bytes: 10_000, ..ExpansionLimits::USUAL });
    let error = find_within(&tree(&files), &allowance).unwrap_err();
    assert_eq!(error.to_string(), "finding the catalogs of the repository expands to more than 10000 bytes");
}

#[test]
fn notes_end_somewhere() {
    let lines: String = (0..250).map(|n| format!("COPY gone{n:03} gone{n:03} /configs\n")).collect();
    let notes = find(&tree(&[("Dockerfile", &lines), ("a.Dockerfile", "COPY b /configs\n")])).unwrap().notes;
    assert_eq!(notes.len(), crate::MOST_NOTES + 1);
    let missing = |n: &str| Note::Missing { dockerfile: "Dockerfile".into(), source: n.to_owned() };
    assert_eq!(notes[..2], [missing("gone000"), missing("gone001")]);
    assert_eq!(notes.last(), Some(&Note::More(151)));
}
