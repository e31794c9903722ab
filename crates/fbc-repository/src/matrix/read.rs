//! Reads `[[catalogs]]`, and reports everything that is wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path};

use fbc_model::render::MigrateLevel;
use fbc_version::OpenShiftRelease;
use fbc_version::blang;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{EXCEPTION_KEYS, Entry, Exception, KEYS, Layout, Pattern};
use crate::release::is_release;

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
            icon: self.read(table, "icon", PATH, path),
            cut_replaces: self
                .read(table, "cut-replaces", "true or false", DeValue::as_bool)
                .unwrap_or_default(),
            releases,
            exceptions,
        };
        for (key, pattern) in [
            ("path", Some(&entry.path)),
            ("template", entry.template.as_ref()),
            ("dockerfile", entry.dockerfile.as_ref()),
            ("file", entry.file.as_ref()),
            ("icon", entry.icon.as_ref()),
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
            versions: self.read(
                table,
                "versions",
                "a range of versions, such as \">=1.2.0 <2.0.0\"",
                |value| blang::Range::parse(value.as_str()?).ok(),
            ),
            without_bundles: self.read(table, "without-bundles", NAMES, texts).unwrap_or_default(),
            heads: self
                .read(table, "heads", "a table of channels with their last bundles", map)
                .unwrap_or_default(),
        })
    }

    fn releases(&mut self, table: &DeTable<'_>) -> Option<BTreeSet<OpenShiftRelease>> {
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
pub fn range(text: &str) -> Option<Vec<OpenShiftRelease>> {
    /// No more releases than this are meant.
    const MOST: u32 = 100;
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let first = OpenShiftRelease::parse(first.trim()).filter(|version| is_release(*version))?;
    let last = OpenShiftRelease::parse(last.trim())?;
    let is_range = first.major == last.major && first.minor <= last.minor && last.minor - first.minor < MOST;
    is_range
        .then(|| (first.minor..=last.minor).map(|minor| OpenShiftRelease::new(first.major, minor)).collect())
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

/// Names of images and bundles by others; each may take the place of many in a catalog.
fn map(value: &DeValue<'_>) -> Option<BTreeMap<String, String>> {
    const MOST_BYTES: usize = 4096;
    value
        .as_table()?
        .iter()
        .map(|(key, value)| {
            Some((
                key.get_ref().clone().into_owned(),
                text(value.get_ref()).filter(|name| name.len() <= MOST_BYTES)?,
            ))
        })
        .collect()
}

fn tables<'v>(value: &'v DeValue<'v>) -> Option<Vec<(&'v DeTable<'v>, Range<usize>)>> {
    value.as_array()?.iter().map(|item| Some((item.get_ref().as_table()?, item.span()))).collect()
}
