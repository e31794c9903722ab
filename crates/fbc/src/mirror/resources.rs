//! The manifests that tell a cluster where the copies are.
//!
//! References stay as catalogs and bundles write them; mirror sets redirect pulls. Statements D-DIS-3 and D-DIS-4 of the
//! product's documents; forms as oc-mirror v2 writes them (`openshift/oc-mirror:internal/pkg/clusterresources`).

use std::collections::{BTreeMap, BTreeSet};

use fbc_image::registry::Reference;
use serde_json::{Value, json};

use super::Prefix;
use super::record::{CatalogForm, Copied};

/// How the ClusterCatalog names its image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CatalogReference {
    /// As the source is written; mirror sets redirect
    #[default]
    Source,
    /// At the mirror
    Mirror,
}

/// What to write, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) catalog_reference: CatalogReference,
    /// Write an ImageContentSourcePolicy in place of the sets, for clusters that know no other.
    pub(crate) source_policy: bool,
}

/// The manifests, each with the name of its file.
pub(crate) fn manifests(copied: &[Copied], prefix: &Prefix, wishes: Wishes) -> Vec<(String, Value)> {
    let mut files = Vec::new();
    let digests = rules(copied, prefix, |source| source.digest().is_some());
    let tags = rules(copied, prefix, |source| source.digest().is_none());
    let (digests, tags) = (completed(&digests, &tags, prefix), completed(&tags, &digests, prefix));
    if wishes.source_policy {
        // It redirects digests alone, so catalogs that are named by tag must be named at the mirror.
        files.extend(set(
            "operator.openshift.io/v1alpha1",
            "ImageContentSourcePolicy",
            "repositoryDigestMirrors",
            "icsp",
            &digests,
        ));
    } else {
        files.extend(set(
            "config.openshift.io/v1",
            "ImageDigestMirrorSet",
            "imageDigestMirrors",
            "idms",
            &digests,
        ));
        files.extend(set("config.openshift.io/v1", "ImageTagMirrorSet", "imageTagMirrors", "itms", &tags));
    }
    let catalogs: Vec<&Copied> = copied.iter().filter(|one| one.catalog.is_some()).collect();
    for (catalog, name) in catalogs.iter().zip(names(&catalogs)) {
        let wishes = match is_led_to(catalog, copied) {
            true => wishes,
            false => Wishes { catalog_reference: CatalogReference::Mirror, ..wishes },
        };
        files.extend(catalog_manifests(catalog, &name, prefix, wishes));
    }
    files
}

/// Sources with their mirrors, in the order in which these are tried.
type Rules = BTreeMap<String, Vec<String>>;

/// Where the copies of a repository are.
struct Places<'c> {
    source: Reference,
    /// Whether the name is another one, and the name: that of the source comes first.
    repositories: BTreeSet<(bool, &'c str)>,
}

fn rules(copied: &[Copied], prefix: &Prefix, fits: impl Fn(&Reference) -> bool) -> Rules {
    let mut sources: BTreeMap<String, Places<'_>> = BTreeMap::new();
    for one in copied {
        let Some(source) = one.source().filter(&fits).filter(|source| keeps_tag(source, one)) else {
            continue;
        };
        let is_renamed = source.repository() != one.repository;
        let places = sources.entry(source.name());
        let places = places.or_insert_with(|| Places { source, repositories: BTreeSet::new() });
        places.repositories.insert((is_renamed, &one.repository));
    }
    let mut rules = Rules::new();
    for (name, Places { source, repositories }) in sources {
        // A rule for the namespace covers its repositories, unless this one changed its name.
        let namespace = source.repository().rsplit_once('/').map(|(namespace, _)| namespace);
        let (scope, mirrors) = match (namespace, repositories.iter().any(|(is_renamed, _)| *is_renamed)) {
            (Some(namespace), false) => {
                (format!("{}/{namespace}", source.registry()), vec![prefix.below(namespace)])
            }
            _ => (name, repositories.iter().map(|(_, repository)| prefix.below(repository)).collect()),
        };
        // The namespace of one repository may be the name of another.
        let known: &mut Vec<String> = rules.entry(scope).or_default();
        for mirror in mirrors {
            if !known.contains(&mirror) {
                known.push(mirror);
            }
        }
    }
    rules
}

/// Rules with those of the other set that lie within them. A node goes by the longest source alone, whatever set it is
/// from, so that a rule for tags would hide one for digests of the namespace around it.
fn completed(rules: &Rules, other: &Rules, prefix: &Prefix) -> Rules {
    let is_within = |source: &str| {
        rules.keys().any(|own| source.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    let mut completed = rules.clone();
    for (source, mirrors) in other.iter().filter(|(source, _)| is_within(source)) {
        let path = source.split_once('/').map_or(source.as_str(), |(_, path)| path);
        let mut all = vec![prefix.below(path)];
        all.extend(mirrors.iter().filter(|mirror| **mirror != prefix.below(path)).cloned());
        completed.entry(source.clone()).or_insert(all);
    }
    completed
}

/// Whether the copy is found by the reference of its source: sets replace repositories, and no tags.
fn keeps_tag(source: &Reference, copied: &Copied) -> bool {
    source.digest().is_some() || source.tag().unwrap_or("latest") == copied.tag
}

/// Whether the sets lead from the source to this copy, and not to another one of the same source.
fn is_led_to(catalog: &Copied, copied: &[Copied]) -> bool {
    let rank = |one: &Copied| {
        (one.source().is_some_and(|source| source.repository() != one.repository), one.repository.clone())
    };
    let rivals = copied.iter().filter(|one| one.source == catalog.source && one.tag == catalog.tag);
    rivals.map(rank).min().is_none_or(|first| first == rank(catalog))
}

fn set(version: &str, kind: &str, field: &str, short: &str, rules: &Rules) -> Option<(String, Value)> {
    if rules.is_empty() {
        return None;
    }
    let name = format!("{short}-operator-0");
    let entries: Vec<Value> =
        rules.iter().map(|(source, mirrors)| json!({"source": source, "mirrors": mirrors})).collect();
    let manifest =
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": {field: entries}});
    Some((format!("{short}-oc-mirror.yaml"), manifest))
}

fn catalog_manifests(catalog: &Copied, name: &str, prefix: &Prefix, wishes: Wishes) -> Vec<(String, Value)> {
    let mirror = prefix.below(&catalog.place().to_string());
    let is_built = catalog.catalog == Some(CatalogForm::Built);
    let source = catalog.source();
    // A digest can only mean the image of the source; what was built has another one.
    let redirected = source
        .filter(|_| wishes.catalog_reference == CatalogReference::Source)
        .filter(|source| match source.digest() {
            Some(_) => !is_built,
            None => !wishes.source_policy,
        })
        .filter(|source| keeps_tag(source, catalog))
        .map(|source| source.to_string());
    let reference = redirected.unwrap_or_else(|| mirror.clone());
    let cluster_catalog = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": format!("cc-{name}")},
        "spec": {"priority": 0, "source": {"type": "Image", "image": {"ref": reference}}},
    });
    let mut files = vec![(format!("cc-{name}.yaml"), cluster_catalog)];
    // A catalog that was built holds no server, which the older OLM needs.
    if !is_built {
        let catalog_source = json!({
            "apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource",
            "metadata": {"name": format!("cs-{name}"), "namespace": "openshift-marketplace"},
            "spec": {"image": mirror, "sourceType": "grpc"},
        });
        files.push((format!("cs-{name}.yaml"), catalog_source));
    }
    files
}

/// A name for each catalog, such as `redhat-operator-index-v4-19`; with the path before it where two are alike, and
/// with a number where that does not help.
fn names(catalogs: &[&Copied]) -> Vec<String> {
    let short =
        |catalog: &Copied| name_of(catalog.repository.rsplit('/').next().unwrap_or_default(), catalog);
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    catalogs.iter().for_each(|catalog| *count.entry(short(catalog)).or_default() += 1);
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut name = |catalog: &Copied| {
        let short = short(catalog);
        let is_alone = count.get(&short) == Some(&1);
        let name = if is_alone { short } else { name_of(&catalog.repository, catalog) };
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        free.unwrap_or_default()
    };
    catalogs.iter().map(|catalog| name(catalog)).collect()
}

/// The name of a repository with the tag behind it.
fn name_of(repository: &str, catalog: &Copied) -> String {
    // The tag of a pinned image is its digest; a few digits tell catalogs apart.
    let tag = match catalog.tag.strip_prefix("sha256-") {
        Some(digest) => digest.chars().take(12).collect(),
        None => catalog.tag.clone(),
    };
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' }
    };
    format!("{repository}-{tag}").chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// References of which no copy's rule would lead a cluster to a mirror: none, if the manifests are right.
    fn without_rule(copied: &[Copied], rules: &BTreeSet<String>) -> Vec<String> {
        let is_covered = |source: &Reference| {
            let name = source.name();
            rules.iter().any(|rule| name == *rule || name.starts_with(&format!("{rule}/")))
        };
        copied
            .iter()
            .filter_map(Copied::source)
            .filter(|source| !is_covered(source))
            .map(|source| source.to_string())
            .collect()
    }

    fn copied(source: &str, place: &str, catalog: Option<CatalogForm>) -> Copied {
        let (repository, tag) = place.rsplit_once(':').unwrap();
        Copied {
            source: (!source.is_empty()).then(|| source.to_owned()),
            repository: repository.to_owned(),
            tag: tag.to_owned(),
            digest: format!("sha256:{}", "b".repeat(64)),
            catalog,
            is_attached: false,
        }
    }

    #[test]
    fn every_copy_is_led_to() {
        let pinned = format!("quay.io/team/operator@sha256:{}", "a".repeat(64));
        let all = [
            copied(&pinned, "team/operator:sha256-aaaa", None),
            copied(
                "registry.redhat.io/redhat/redhat-operator-index:v4.19",
                "redhat/redhat-operator-index:v4.19",
                Some(CatalogForm::Built),
            ),
            copied("quay.io/team/index:v1", "elsewhere/index:v1", Some(CatalogForm::Whole)),
            copied("", "me/catalog:v1", Some(CatalogForm::Built)),
        ];
        let prefix = Prefix::parse("mirror.example:5000/copies").unwrap();
        let files = manifests(&all, &prefix, Wishes::default());
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "idms-oc-mirror.yaml",
                "itms-oc-mirror.yaml",
                "cc-redhat-operator-index-v4-19.yaml",
                "cc-index-v1.yaml",
                "cs-index-v1.yaml",
                "cc-catalog-v1.yaml",
            ]
        );
        let entries = files.iter().flat_map(|(_, file)| {
            ["imageDigestMirrors", "imageTagMirrors"]
                .into_iter()
                .flat_map(|field| file["spec"][field].as_array().into_iter().flatten())
        });
        let sources: BTreeSet<String> =
            entries.filter_map(|entry| entry["source"].as_str()).map(str::to_owned).collect();
        assert_eq!(without_rule(&all, &sources), Vec::<String>::new());
        assert!(
            sources.contains("quay.io/team/index"),
            "a repository that changed its name has a rule of its own"
        );
        let reference =
            |index: usize| files[index].1["spec"]["source"]["image"]["ref"].as_str().unwrap().to_owned();
        assert_eq!(reference(2), "registry.redhat.io/redhat/redhat-operator-index:v4.19");
        assert_eq!(reference(5), "mirror.example:5000/copies/me/catalog:v1");
    }

    #[test]
    fn a_built_catalog_is_not_what_a_digest_means() {
        let source = format!("quay.io/team/index@sha256:{}", "a".repeat(64));
        let one = copied(&source, "team/index:sha256-0123456789abcdef", Some(CatalogForm::Built));
        let prefix = Prefix::parse("mirror.example").unwrap();
        let files = manifests(&[one], &prefix, Wishes { source_policy: true, ..Wishes::default() });
        assert_eq!(files[0].1["kind"], "ImageContentSourcePolicy");
        assert_eq!(files[1].1["metadata"]["name"], "cc-index-0123456789ab");
        assert_eq!(
            files[1].1["spec"]["source"]["image"]["ref"],
            "mirror.example/team/index:sha256-0123456789abcdef"
        );
    }

    #[test]
    fn catalogs_of_one_name_are_told_apart() {
        let of = |place: &str| copied("", place, Some(CatalogForm::Built));
        let all = [of("a/b/index:v1"), of("a-b/index:v1"), of("a/other:v1"), of("c/index:v1")];
        let names = names(&all.iter().collect::<Vec<_>>());
        assert_eq!(names, ["a-b-index-v1", "a-b-index-v1-2", "other-v1", "c-index-v1"]);
    }

    #[test]
    fn a_policy_redirects_digests_alone() {
        let pinned = format!("quay.io/team/operator@sha256:{}", "a".repeat(64));
        let all = [
            copied(&pinned, "team/operator:sha256-aaaa", None),
            copied("quay.io/other/thing:v1", "other/thing:v1", None),
            copied("quay.io/team/index:v1", "team/index:v1", Some(CatalogForm::Whole)),
        ];
        let prefix = Prefix::parse("mirror.example").unwrap();
        let files = manifests(&all, &prefix, Wishes { source_policy: true, ..Wishes::default() });
        let entries = files[0].1["spec"]["repositoryDigestMirrors"].as_array().unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(files[1].1["spec"]["source"]["image"]["ref"], "mirror.example/team/index:v1");
    }

    #[test]
    fn of_copies_of_one_source_the_one_with_its_name_is_found() {
        let index = "quay.io/team/index:v1";
        let all = [
            copied(index, "a/small:v1", Some(CatalogForm::Built)),
            copied(index, "team/index:v1", Some(CatalogForm::Whole)),
            copied("quay.io/team/tool:v1", "tools/tool:v2", None),
        ];
        let prefix = Prefix::parse("mirror.example").unwrap();
        let files = manifests(&all, &prefix, Wishes::default());
        let expected = json!([
            {"source": "quay.io/team/index", "mirrors": ["mirror.example/team/index", "mirror.example/a/small"]},
        ]);
        assert_eq!(
            files[0].1["spec"]["imageTagMirrors"], expected,
            "tags are not replaced, so there is no rule for the tool"
        );
        let reference = |file: usize| files[file].1["spec"]["source"]["image"]["ref"].clone();
        assert_eq!(reference(1), "mirror.example/a/small:v1");
        assert_eq!(reference(2), index);
    }

    #[test]
    fn no_rule_hides_another() {
        let pinned = format!("quay.io/team/index@sha256:{}", "a".repeat(64));
        let all = [
            copied(&pinned, "team/index:sha256-aaaa", None),
            copied("quay.io/team/index:v1", "a/small:v1", Some(CatalogForm::Built)),
            copied("quay.io/team/index/deep:v1", "team/index/deep:v1", None),
        ];
        let prefix = Prefix::parse("mirror.example").unwrap();
        let files = manifests(&all, &prefix, Wishes::default());
        let digests = json!([
            {"source": "quay.io/team", "mirrors": ["mirror.example/team"]},
            {"source": "quay.io/team/index", "mirrors": ["mirror.example/team/index", "mirror.example/a/small"]},
        ]);
        assert_eq!(files[0].1["spec"]["imageDigestMirrors"], digests);
    }
}
