//! `[[catalogs]]` of `fbc.toml`: from which templates which catalogs come, release by release.
//!
//! An entry is for some releases. Its paths are patterns: `{ocp}`, `{major}` and `{minor}` stand for the release.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use fbc_lint::policy::OcpVersion;
use fbc_model::render::MigrateLevel;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::place::{CatalogPlace, FoundBy, ImageFile, TemplateUse};
use crate::release::is_release;

/// The keys of an entry.
pub const KEYS: [&str; 12] = [
    "base-image",
    "dockerfile",
    "file",
    "image-path",
    "layout",
    "migrate-level",
    "mirrors",
    "ocp",
    "opm-semantics",
    "path",
    "releases",
    "template",
];

/// The keys of an exception, which are in `[[catalogs.releases]]`.
pub const EXCEPTION_KEYS: [&str; 5] = ["base-image", "heads", "ocp", "without-bundles", "without-channels"];

/// An entry of `[[catalogs]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The directory of the catalog.
    pub path: Pattern,
    /// The releases; none if the catalog is for no release in particular.
    pub releases: BTreeSet<OcpVersion>,
    /// Where the catalog goes in its image, below the directory that is served.
    pub image_path: Option<Pattern>,
    /// The Dockerfile of the image.
    pub dockerfile: Option<Pattern>,
    /// The image that the image is built on.
    pub base_image: Option<Pattern>,
    /// The template.
    pub template: Option<Pattern>,
    /// The file that the template expands to, from the directory of the catalog; the directory for the layout `split`.
    pub file: Option<Pattern>,
    /// Into how many files the template expands.
    pub layout: Layout,
    /// How far bundles are brought up to date; nothing for what the release wants.
    pub migrate: Option<MigrateLevel>,
    /// The version of opm whose expansion of semver templates counts.
    pub opm_semantics: Option<String>,
    /// Image repositories by those that stand for them until a release: the catalog gets the latter.
    pub mirrors: BTreeMap<String, String>,
    /// What some releases have differently.
    pub exceptions: Vec<Exception>,
}

/// What some releases have differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exception {
    /// The releases.
    pub releases: BTreeSet<OcpVersion>,
    /// The image that theirs is built on.
    pub base_image: Option<Pattern>,
    /// Channels that they do not have.
    pub without_channels: Vec<String>,
    /// Bundles that they do not have.
    pub without_bundles: Vec<String>,
    /// Bundles that channels end with.
    pub heads: BTreeMap<String, String>,
}

/// Into how many files a template expands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One.
    #[default]
    File,
    /// `package.yaml`, `channels/` and `bundles/`.
    Split,
}

impl Layout {
    /// The names, as the file has them.
    pub const NAMES: [(&'static str, Self); 2] = [("file", Self::File), ("split", Self::Split)];
}

/// A text in which `{ocp}`, `{major}` and `{minor}` stand for a release.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(String);

/// The words in patterns.
const WORDS: [&str; 3] = ["{ocp}", "{major}", "{minor}"];

impl Pattern {
    /// A pattern; nothing for a text with other braces.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let plain = WORDS.iter().fold(text.to_owned(), |text, word| text.replace(word, ""));
        (!text.is_empty() && !plain.contains(['{', '}'])).then(|| Self(text.to_owned()))
    }

    /// The text with a release in the places of the words; without a release they stay.
    #[must_use]
    pub fn fill(&self, release: Option<OcpVersion>) -> String {
        let Some(release) = release else { return self.0.clone() };
        let values = [release.to_string(), release.major.to_string(), release.minor.to_string()];
        WORDS.iter().zip(values).fold(self.0.clone(), |text, (word, value)| text.replace(word, &value))
    }

    /// Whether it depends on the release.
    #[must_use]
    pub fn is_open(&self) -> bool {
        WORDS.iter().any(|word| self.0.contains(word))
    }

    /// The text as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Something that is wrong in the file, with its place in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place.
    pub place: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write.
    pub help: String,
}

/// The entries of a file, and everything that is wrong with them.
#[must_use]
pub fn entries(table: &DeTable<'_>) -> (Vec<Entry>, Vec<Fault>) {
    let mut reader = Reader::default();
    let Some(list) = table.get("catalogs") else { return Default::default() };
    let Some(items) = list.get_ref().as_array() else {
        reader.fault(list.span(), "`catalogs` is not a list of tables", "write `[[catalogs]]`");
        return (Vec::new(), reader.faults);
    };
    let entries = items.iter().filter_map(|item| match item.get_ref().as_table() {
        Some(table) => reader.entry(table, item.span()),
        None => {
            reader.fault(item.span(), "an entry of `catalogs` is not a table", "write `[[catalogs]]`");
            None
        }
    });
    let entries = entries.collect();
    (entries, reader.faults)
}

/// The entries of the text of a file; none where it is wrong, which whoever reads the whole file reports.
#[must_use]
pub fn entries_of(text: &str) -> Vec<Entry> {
    match DeTable::parse(text) {
        Ok(table) => entries(table.get_ref()).0,
        Err(_) => Vec::new(),
    }
}

#[derive(Default)]
struct Reader {
    faults: Vec<Fault>,
}

impl Reader {
    fn fault(&mut self, place: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Fault { place, message: message.into(), help: help.into() });
    }

    fn keys(&mut self, table: &DeTable<'_>, known: &[&str], of: &str) {
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let message = format!("unknown key `{}` in {of}", key.get_ref());
            self.fault(key.span(), message, format!("there are {}", known.join(", ")));
        }
    }

    fn read<'t, T>(
        &mut self,
        table: &'t DeTable<'_>,
        key: &str,
        wanted: &str,
        read: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<T> {
        let value: &'t Spanned<DeValue<'_>> = table.get(key)?;
        let read = read(value.get_ref());
        if read.is_none() {
            self.fault(value.span(), format!("`{key}` is not {wanted}"), format!("write {wanted}"));
        }
        read
    }

    fn entry(&mut self, table: &DeTable<'_>, place: Range<usize>) -> Option<Entry> {
        self.keys(table, &KEYS, "an entry of `catalogs`");
        const PATH: &str =
            "a path in the repository, in which {ocp}, {major} and {minor} stand for the release";
        const IMAGE: &str = "an image, in which {ocp}, {major} and {minor} stand for the release";
        let releases = self.releases(table).unwrap_or_default();
        let exceptions = self
            .read(table, "releases", "a list of tables, such as `[[catalogs.releases]]`", tables)
            .unwrap_or_default();
        let exceptions =
            exceptions.into_iter().filter_map(|(table, place)| self.exception(table, place)).collect();
        let entry = Entry {
            path: match table.contains_key("path") {
                true => self.read(table, "path", PATH, path)?,
                false => {
                    self.fault(
                        place,
                        "an entry of `catalogs` has no `path`",
                        "write the directory of the catalog, such as \"v{ocp}/catalog\"",
                    );
                    return None;
                }
            },
            image_path: self.read(table, "image-path", PATH, path),
            dockerfile: self.read(table, "dockerfile", PATH, path),
            base_image: self.read(table, "base-image", IMAGE, pattern),
            template: self.read(table, "template", PATH, path),
            file: self.read(table, "file", PATH, path),
            layout: self.read(table, "layout", "\"file\" or \"split\"", layout).unwrap_or_default(),
            migrate: self.read(
                table,
                "migrate-level",
                "\"none\", \"bundle-object-to-csv-metadata\" or \"all\"",
                |value| MigrateLevel::from_name(value.as_str()?),
            ),
            opm_semantics: self.read(table, "opm-semantics", "a version of opm, such as \"v1.47\"", text),
            mirrors: self
                .read(
                    table,
                    "mirrors",
                    "a table of image repositories, such as {\"quay.io/stage\" = \"registry.io/product\"}",
                    map,
                )
                .unwrap_or_default(),
            releases,
            exceptions,
        };
        for (key, pattern) in [
            ("path", Some(&entry.path)),
            ("template", entry.template.as_ref()),
            ("dockerfile", entry.dockerfile.as_ref()),
            ("file", entry.file.as_ref()),
        ] {
            if entry.releases.is_empty() && pattern.is_some_and(Pattern::is_open) {
                let message = format!("`{key}` depends on the release, and the entry names none");
                self.fault(place.clone(), message, "write the releases as `ocp = [\"4.18\"]`");
            }
        }
        Some(entry)
    }

    fn exception(&mut self, table: &DeTable<'_>, place: Range<usize>) -> Option<Exception> {
        self.keys(table, &EXCEPTION_KEYS, "an entry of `catalogs.releases`");
        let Some(releases) = self.releases(table) else {
            if !table.contains_key("ocp") {
                let help = "write the releases that it is for, such as `ocp = [\"4.14\"]`";
                self.fault(place, "an entry of `catalogs.releases` has no `ocp`", help);
            }
            return None;
        };
        const NAMES: &str = "a list of names";
        Some(Exception {
            releases,
            base_image: self.read(table, "base-image", "an image", pattern),
            without_channels: self.read(table, "without-channels", NAMES, texts).unwrap_or_default(),
            without_bundles: self.read(table, "without-bundles", NAMES, texts).unwrap_or_default(),
            heads: self
                .read(table, "heads", "a table of channels with their last bundles", map)
                .unwrap_or_default(),
        })
    }

    fn releases(&mut self, table: &DeTable<'_>) -> Option<BTreeSet<OcpVersion>> {
        self.read(
            table,
            "ocp",
            "a list of releases and ranges of them, such as [\"4.14..4.22\", \"5.0\"]",
            |value| Some(texts(value)?.iter().map(|text| range(text)).collect::<Option<Vec<_>>>()?.concat()),
        )
        .map(BTreeSet::from_iter)
    }
}

/// The releases of `4.18` or `4.14..4.22`.
#[must_use]
pub fn range(text: &str) -> Option<Vec<OcpVersion>> {
    /// No more releases than this are meant.
    const MOST: u32 = 100;
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let first = OcpVersion::parse(first.trim()).filter(|version| is_release(*version))?;
    let last = OcpVersion::parse(last.trim())?;
    let is_range = first.major == last.major && first.minor <= last.minor && last.minor - first.minor < MOST;
    is_range.then(|| (first.minor..=last.minor).map(|minor| OcpVersion::new(first.major, minor)).collect())
}

fn text(value: &DeValue<'_>) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| text(item.get_ref())).collect()
}

fn pattern(value: &DeValue<'_>) -> Option<Pattern> {
    Pattern::new(value.as_str()?)
}

/// A path that does not leave the repository.
fn path(value: &DeValue<'_>) -> Option<Pattern> {
    let text = value.as_str()?;
    let stays =
        Path::new(text).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    Pattern::new(text.trim_start_matches("./").trim_end_matches('/')).filter(|_| stays)
}

fn layout(value: &DeValue<'_>) -> Option<Layout> {
    let word = value.as_str()?;
    Layout::NAMES.into_iter().find(|(name, _)| *name == word).map(|(_, layout)| layout)
}

fn map(value: &DeValue<'_>) -> Option<BTreeMap<String, String>> {
    value
        .as_table()?
        .iter()
        .map(|(key, value)| Some((key.get_ref().clone().into_owned(), text(value.get_ref())?)))
        .collect()
}

fn tables<'v>(value: &'v DeValue<'v>) -> Option<Vec<(&'v DeTable<'v>, Range<usize>)>> {
    value.as_array()?.iter().map(|item| Some((item.get_ref().as_table()?, item.span()))).collect()
}

impl Entry {
    /// The releases, or no release once.
    #[must_use]
    pub fn cells(&self) -> Vec<Option<OcpVersion>> {
        match self.releases.is_empty() {
            true => vec![None],
            false => self.releases.iter().copied().map(Some).collect(),
        }
    }

    /// The catalog of a release.
    #[must_use]
    pub fn place(&self, release: Option<OcpVersion>) -> CatalogPlace {
        let path = PathBuf::from(self.path.fill(release));
        let image = self.dockerfile.as_ref().map(|dockerfile| ImageFile {
            path: PathBuf::from(dockerfile.fill(release)),
            release,
            base: self.base_image(release),
            target: self.image_path.as_ref().map(|path| path.fill(release).into()).unwrap_or_default(),
            arguments: Vec::new(),
        });
        let template = self.template.as_ref().map(|template| TemplateUse {
            path: PathBuf::from(template.fill(release)),
            output: self.file.as_ref().map(|file| path.join(file.fill(release))),
        });
        CatalogPlace {
            path,
            releases: release.into_iter().collect(),
            images: image.into_iter().collect(),
            templates: template.into_iter().collect(),
            found_by: [FoundBy::Configuration].into(),
        }
    }

    /// The image that the image of a release is built on.
    #[must_use]
    pub fn base_image(&self, release: Option<OcpVersion>) -> Option<String> {
        let own = release.and_then(|release| {
            self.exceptions
                .iter()
                .rev()
                .filter(|one| one.releases.contains(&release))
                .find_map(|one| one.base_image.as_ref())
        });
        own.or(self.base_image.as_ref()).map(|image| image.fill(release))
    }

    /// How far bundles are brought up to date for a release: catalogs of 4.17 and later hold `olm.csv.metadata`,
    /// earlier ones `olm.bundle.object`.
    #[must_use]
    pub fn migrate_level(&self, release: Option<OcpVersion>) -> MigrateLevel {
        self.migrate.unwrap_or_else(|| migrate_level(release))
    }
}

/// How far the bundles of a release are brought up to date, unless something else is said.
///
/// Source: `redhat-openshift-ecosystem/operator-pipelines:fbc/render_catalogs.sh`.
#[must_use]
pub fn migrate_level(release: Option<OcpVersion>) -> MigrateLevel {
    const FIRST: OcpVersion = OcpVersion::new(4, 17);
    match release {
        Some(release) if release >= FIRST => MigrateLevel::BundleObjectToCsvMetadata,
        _ => MigrateLevel::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V18: Option<OcpVersion> = Some(OcpVersion::new(4, 18));

    fn faults(text: &str) -> Vec<String> {
        let table = DeTable::parse(text).unwrap();
        entries(table.get_ref()).1.into_iter().map(|fault| fault.message).collect()
    }

    #[test]
    fn an_entry_for_many_releases() {
        let all = entries_of(
            "[[catalogs]]\npath = \"./v{ocp}/catalog/\"\nocp = [\"4.14..4.16\", \"5.0\"]\ntemplate = \"template.yaml\"\n\
             file = \"a/catalog.json\"\ndockerfile = \"v{ocp}/Dockerfile\"\nbase-image = \"r/o{major}/x:v{ocp}\"\n\
             mirrors = {\"quay.io/a\" = \"r/a\"}\n[[catalogs.releases]]\nocp = [\"4.14\"]\nbase-image = \"r/old:v{ocp}\"\n\
             heads = {stable = \"a.v1\"}\nwithout-channels = [\"x\"]\n",
        );
        let [entry] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(entry.cells().len(), 4);
        let old = entry.place(Some(OcpVersion::new(4, 14)));
        assert_eq!(old.path, Path::new("v4.14/catalog"));
        assert_eq!(old.images[0].base.as_deref(), Some("r/old:v4.14"));
        assert_eq!(old.templates[0].output.as_deref(), Some(Path::new("v4.14/catalog/a/catalog.json")));
        let new = entry.place(Some(OcpVersion::new(5, 0)));
        assert_eq!(new.images[0].base.as_deref(), Some("r/o5/x:v5.0"));
    }

    #[test]
    fn levels_of_releases() {
        assert_eq!(migrate_level(None), MigrateLevel::None);
        assert_eq!(migrate_level(Some(OcpVersion::new(4, 16))), MigrateLevel::None);
        assert_eq!(migrate_level(V18), MigrateLevel::BundleObjectToCsvMetadata);
        assert_eq!(migrate_level(Some(OcpVersion::new(5, 0))), MigrateLevel::BundleObjectToCsvMetadata);
    }

    #[test]
    fn ranges() {
        let minors = |text| range(text).map(|all| all.iter().map(|one| one.minor).collect::<Vec<_>>());
        assert_eq!(minors("4.14..4.16"), Some(vec![14, 15, 16]));
        assert_eq!(minors("v4.18"), Some(vec![18]));
        for text in ["4.16..4.14", "4.16..5.0", "4", "10.16", "4.1..4.4000000"] {
            assert_eq!(minors(text), None, "{text}");
        }
    }

    #[test]
    fn mistakes() {
        for (text, expected) in [
            ("catalogs = 1", "`catalogs` is not a list of tables"),
            ("[[catalogs]]\nocp = [\"4.18\"]", "an entry of `catalogs` has no `path`"),
            ("[[catalogs]]\npath = \"../x\"", "`path` is not a path in the repository"),
            ("[[catalogs]]\npath = \"/x\"", "`path` is not a path in the repository"),
            ("[[catalogs]]\npath = \"{ocp\"", "`path` is not a path in the repository"),
            ("[[catalogs]]\npath = \"{ocp}\"", "`path` depends on the release, and the entry names none"),
            ("[[catalogs]]\npath = \"x\"\nocp = [\"10.16\"]", "`ocp` is not a list of releases"),
            ("[[catalogs]]\npath = \"x\"\nlayout = \"other\"", "`layout` is not \"file\" or \"split\""),
            ("[[catalogs]]\npath = \"x\"\npats = 1", "unknown key `pats` in an entry of `catalogs`"),
            (
                "[[catalogs]]\npath = \"x\"\n[[catalogs.releases]]\nheads = {}",
                "an entry of `catalogs.releases` has no `ocp`",
            ),
        ] {
            let found = faults(text);
            assert!(found.first().is_some_and(|fault| fault.starts_with(expected)), "{text}: {found:?}");
        }
    }
}
