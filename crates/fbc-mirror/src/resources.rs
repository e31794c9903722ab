//! The manifests that tell a cluster where the copies are.
//!
//! References stay as catalogs and bundles write them; mirror sets redirect pulls. Statements D-DIS-3 and D-DIS-4 of the
//! product's documents; forms as oc-mirror v2 writes them (`openshift/oc-mirror:internal/pkg/clusterresources`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fbc_image::blob::digest_of;
use fbc_source::Error;
use serde_json::{Value, json};

use super::Prefix;
use super::record::{CatalogForm, Copied};
use super::rules::{DIGESTS, POLICY, Rules, SetKind, TAGS, keeps_tag};

/// Bytes of a name behind `cc-` or `cs-`, at most: with these it may be the value of a label and the name of a Service, which
/// have 63.
const NAME_BYTES: usize = 60;
/// So many hexadecimal digits at the beginning of a tag are the id of a commit.
const ID_DIGITS: usize = 40;
/// So many of them tell catalogs apart.
const SHOWN_DIGITS: usize = 12;
/// Digits that tell names apart that are too long.
const SUFFIX_DIGITS: usize = 8;

/// How the ClusterCatalog names its image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatalogReference {
    /// As the source is written; mirror sets redirect.
    #[default]
    Source,
    /// At the mirror.
    Mirror,
}

/// What to write, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct ManifestOptions {
    /// How the ClusterCatalog names its image.
    pub catalog_reference: CatalogReference,
    /// Write an ImageContentSourcePolicy in place of the sets, for clusters that know no other.
    pub source_policy: bool,
}

/// What earlier runs wrote into a directory.
#[derive(Default)]
pub struct Written {
    /// The rules of its sets, by what their names begin with.
    sets: BTreeMap<&'static str, Rules>,
    /// The image of each ClusterCatalog, by the name of its file.
    catalogs: BTreeMap<String, String>,
}

impl Written {
    /// Reads what a directory holds.
    ///
    /// # Errors
    /// If it cannot be read, or something else bears the name of a set.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let mut written = Self::default();
        let read =
            |path: &Path| fbc_model::tree::read_file(path).map_err(|error| Error::io("read", path, &error));
        for kind in [DIGESTS, TAGS, POLICY] {
            let path = folder.join(kind.file());
            if !path.exists() {
                continue;
            }
            let rules = kind.read(&read(&path)?).map_err(|problem| {
                Error::new(format!("{} is not what `fbc mirror` writes: {problem}", path.display())).help(
                    "its rules would be lost; name another directory with --manifests, or remove the file",
                )
            })?;
            written.sets.insert(kind.short, rules);
        }
        let entries = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(written),
            entries => entries.map_err(|error| Error::io("read", folder, &error))?,
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if !name.starts_with("cc-") || !name.ends_with(".yaml") {
                continue;
            }
            let bytes = read(&entry.path())?;
            let image = fbc_yaml::stream::read_one(&bytes).ok().map(|document| document.root().to_json());
            let image =
                image.unwrap_or_default()["spec"]["source"]["image"]["ref"].as_str().map(str::to_owned);
            // What is not a catalog is nobody's, and stays.
            written.catalogs.insert(name, image.unwrap_or_default());
        }
        Ok(written)
    }

    /// Whether a catalog of another run has a name.
    fn is_taken(&self, name: &str, catalog: &Copied, prefix: &Prefix) -> bool {
        let source = catalog.source().map(|source| source.to_string());
        let own = [source, Some(prefix.below(&catalog.place().to_string()))];
        let known = self.catalogs.get(&format!("cc-{name}.yaml"));
        known.is_some_and(|known| !own.iter().flatten().any(|own| own == known))
    }
}

/// The manifests, each with the name of its file. Rules of earlier runs stay in the sets, behind those of this one.
pub fn manifests(
    copied: &[Copied],
    prefix: &Prefix,
    options: ManifestOptions,
    written: &Written,
) -> Vec<(String, Value)> {
    let earlier = |rules: Rules, kind: &SetKind| match written.sets.get(kind.short) {
        Some(earlier) => rules.with_earlier(earlier),
        None => rules,
    };
    let digests = Rules::from_copied(copied, prefix, |source| source.digest().is_some());
    let tags = Rules::from_copied(copied, prefix, |source| source.digest().is_none());
    let tags = earlier(tags, &TAGS);
    let sets = if options.source_policy {
        // It redirects digests alone, so catalogs that are named by tag must be named at the mirror.
        vec![(POLICY, earlier(digests, &POLICY).completed(&tags))]
    } else {
        let digests = earlier(digests, &DIGESTS);
        vec![(DIGESTS, digests.completed(&tags)), (TAGS, tags.completed(&digests))]
    };
    let mut files: Vec<(String, Value)> =
        sets.iter().filter_map(|(kind, rules)| Some((kind.file(), kind.manifest(rules)?))).collect();
    let catalogs: Vec<&Copied> = copied.iter().filter(|one| one.catalog.is_some()).collect();
    for (catalog, name) in catalogs.iter().zip(names(&catalogs, prefix, written)) {
        let options = match is_led_to(catalog, copied) {
            true => options,
            false => ManifestOptions { catalog_reference: CatalogReference::Mirror, ..options },
        };
        files.extend(catalog_manifests(catalog, &name, prefix, options));
    }
    files
}

/// Whether the sets lead from the source to this copy, and not to another one of the same source.
fn is_led_to(catalog: &Copied, copied: &[Copied]) -> bool {
    let rank = |one: &Copied| {
        (one.source().is_some_and(|source| source.repository() != one.repository), one.repository.clone())
    };
    let rivals = copied.iter().filter(|one| one.source == catalog.source && one.tag == catalog.tag);
    rivals.map(rank).min().is_none_or(|first| first == rank(catalog))
}

fn catalog_manifests(
    catalog: &Copied,
    name: &str,
    prefix: &Prefix,
    options: ManifestOptions,
) -> Vec<(String, Value)> {
    let mirror = prefix.below(&catalog.place().to_string());
    let is_built = catalog.catalog == Some(CatalogForm::Built);
    let source = catalog.source();
    // A digest can only mean the image of the source; what was built has another one.
    let redirected = source
        .filter(|_| options.catalog_reference == CatalogReference::Source)
        .filter(|source| match source.digest() {
            Some(_) => !is_built,
            None => !options.source_policy,
        })
        .filter(|source| keeps_tag(source, catalog))
        .map(|source| source.to_string());
    let reference = redirected.unwrap_or_else(|| mirror.clone());
    let cluster_catalog = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": format!("cc-{name}")},
        "spec": {"priority": 0, "source": {"type": "Image", "image": {"ref": reference}}},
    });
    let mut files = vec![(format!("cc-{name}.yaml"), cluster_catalog)];
    // The older OLM needs a program in the image; a catalog that was built has none.
    if catalog.catalog == Some(CatalogForm::Whole) {
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
/// with a number where that does not help or another run has the name.
fn names(catalogs: &[&Copied], prefix: &Prefix, written: &Written) -> Vec<String> {
    let short =
        |catalog: &Copied| name_of(catalog.repository.rsplit('/').next().unwrap_or_default(), catalog);
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    catalogs.iter().for_each(|catalog| *count.entry(short(catalog)).or_default() += 1);
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut name = |catalog: &Copied| {
        let short = short(catalog);
        let is_alone = count.get(&short) == Some(&1);
        let long = name_of(&catalog.repository, catalog);
        let numbered = (2..).map(|number| format!("{long}-{number}"));
        let names = is_alone.then_some(short).into_iter().chain([long.clone()]).chain(numbered);
        let mut names = names.map(|name| fitted(&name));
        let free = names.find(|name| !written.is_taken(name, catalog, prefix) && taken.insert(name.clone()));
        free.unwrap_or_default()
    };
    catalogs.iter().map(|catalog| name(catalog)).collect()
}

/// The name of a repository with the tag behind it.
fn name_of(repository: &str, catalog: &Copied) -> String {
    // Of a digest or the id of a commit a few digits tell catalogs apart.
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    let is_id = catalog.tag.len() >= ID_DIGITS && catalog.tag.as_bytes().iter().take(ID_DIGITS).all(is_digit);
    let tag: String = match catalog.tag.strip_prefix("sha256-") {
        Some(digest) => digest.chars().take(SHOWN_DIGITS).collect(),
        None if is_id => catalog.tag.chars().take(SHOWN_DIGITS).collect(),
        None => catalog.tag.clone(),
    };
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' }
    };
    format!("{repository}-{tag}").chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}

/// A name that is not too long for a label, with what is put in front of it: of a longer one the beginning, and digits that
/// tell it apart.
fn fitted(name: &str) -> String {
    if name.len() <= NAME_BYTES {
        return name.to_owned();
    }
    let digest = digest_of(name.as_bytes());
    let digits: String = digest.digest().chars().take(SUFFIX_DIGITS).collect();
    let start: String = name.chars().take(NAME_BYTES - SUFFIX_DIGITS - 1).collect();
    format!("{}-{digits}", start.trim_end_matches('-'))
}

#[cfg(test)]
mod tests;
