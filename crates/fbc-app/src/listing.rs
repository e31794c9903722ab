//! Tables of packages, channels and bundles, as opm's `alpha list` prints them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/action/list.go`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{self, Write};

use fbc_graph::ChannelAnalysis;
use fbc_model::counted;
use fbc_model::render::CSV_METADATA;
use fbc_model::{Bundle, Catalog, Channel, ChannelEntry, bundle_object};
use serde_json::{Map, Value, json};

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// One row for each package.
    Packages,
    /// One row for each channel.
    Channels,
    /// One row for each bundle in each channel.
    Bundles,
}

/// A table: headings and cells.
pub struct Table {
    columns: &'static [Column],
    rows: Vec<Vec<Cell>>,
}

struct Column {
    heading: &'static str,
    /// The key in JSON.
    key: &'static str,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Text(String),
    List(Vec<String>),
}

const PACKAGE_COLUMNS: &[Column] = &[
    Column { heading: "NAME", key: "name" },
    Column { heading: "DISPLAY NAME", key: "displayName" },
    Column { heading: "DEFAULT CHANNEL", key: "defaultChannel" },
];

const CHANNEL_COLUMNS: &[Column] = &[
    Column { heading: "PACKAGE", key: "package" },
    Column { heading: "CHANNEL", key: "channel" },
    Column { heading: "HEAD", key: "head" },
];

const BUNDLE_COLUMNS: &[Column] = &[
    Column { heading: "PACKAGE", key: "package" },
    Column { heading: "CHANNEL", key: "channel" },
    Column { heading: "BUNDLE", key: "bundle" },
    Column { heading: "REPLACES", key: "replaces" },
    Column { heading: "SKIPS", key: "skips" },
    Column { heading: "SKIP RANGE", key: "skipRange" },
    Column { heading: "IMAGE", key: "image" },
];

/// Where names for people are looked for, and how others are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplayNames {
    /// In manifests alone, and by their bytes, as opm does.
    AsOpm,
    /// In `olm.csv.metadata`, else in manifests; sorted as people count.
    WithMetadata,
}

impl DisplayNames {
    /// The order of two names of channels or bundles.
    fn compare(self, one: &str, other: &str) -> Ordering {
        match self {
            Self::AsOpm => one.cmp(other),
            Self::WithMetadata => counted::compare(one, other),
        }
    }
}

/// Lists a catalog that validation accepts; of one package only if a name is given.
///
/// Returns nothing if there is no package of that name.
pub fn list(
    catalog: &Catalog,
    listing: Listing,
    package: Option<&str>,
    names: DisplayNames,
) -> Option<Table> {
    if let Some(name) = package
        && !catalog.packages.iter().any(|package| package.name == name)
    {
        return None;
    }
    let mut channels: Vec<&Channel> = catalog
        .channels
        .iter()
        .filter(|channel| package.is_none_or(|name| channel.package == name))
        .collect();
    channels.sort_by(|a, b| a.package.cmp(&b.package).then_with(|| names.compare(&a.name, &b.name)));
    let bundles: BTreeMap<(&str, &str), &Bundle> = catalog
        .bundles
        .iter()
        .map(|bundle| ((bundle.package.as_str(), bundle.name.as_str()), bundle))
        .collect();
    Some(match listing {
        Listing::Packages => packages(catalog, &bundles, names),
        Listing::Channels => Table {
            columns: CHANNEL_COLUMNS,
            rows: channels
                .iter()
                .map(|channel| texts([&channel.package, &channel.name, head(channel).unwrap_or_default()]))
                .collect(),
        },
        Listing::Bundles => Table {
            columns: BUNDLE_COLUMNS,
            rows: channels.iter().flat_map(|channel| entries(channel, &bundles, names)).collect(),
        },
    })
}

fn packages(catalog: &Catalog, bundles: &BTreeMap<(&str, &str), &Bundle>, names: DisplayNames) -> Table {
    // Of channels of one name the first counts.
    let channels: BTreeMap<(&str, &str), &Channel> = catalog
        .channels
        .iter()
        .rev()
        .map(|channel| ((channel.package.as_str(), channel.name.as_str()), channel))
        .collect();
    let mut rows: Vec<Vec<Cell>> = catalog
        .packages
        .iter()
        .map(|package| {
            let display_name = channels
                .get(&(package.name.as_str(), package.default_channel.as_str()))
                .and_then(|channel| bundles.get(&(channel.package.as_str(), head(channel)?)))
                .and_then(|bundle| display_name(bundle, names))
                .unwrap_or_default();
            texts([package.name.as_str(), &display_name, &package.default_channel])
        })
        .collect();
    rows.sort_by(|one, other| one.first().cmp(&other.first()));
    Table { columns: PACKAGE_COLUMNS, rows }
}

/// The name for people.
fn display_name(bundle: &Bundle, names: DisplayNames) -> Option<String> {
    if names == DisplayNames::WithMetadata
        && let Some(metadata) = bundle.property_values(CSV_METADATA).next()
        && let Some(name) = metadata.get_str("displayName")
    {
        return Some(name.to_owned());
    }
    let version = bundle_object::cluster_service_version(bundle)?;
    Some(version.root().get("spec")?.get_str("displayName")?.to_owned())
}

/// The name of the head of a channel.
fn head(channel: &Channel) -> Option<&str> {
    let entries = channel.entries();
    Some(entries.get(ChannelAnalysis::from_entries(entries).head()?)?.name.as_str())
}

fn entries<'c>(
    channel: &'c Channel,
    bundles: &BTreeMap<(&'c str, &'c str), &'c Bundle>,
    names: DisplayNames,
) -> impl Iterator<Item = Vec<Cell>> {
    let mut entries: Vec<&ChannelEntry> = channel.entries().iter().collect();
    entries.sort_by(|a, b| names.compare(&a.name, &b.name));
    entries.into_iter().map(|entry| {
        let bundle = bundles.get(&(channel.package.as_str(), entry.name.as_str()));
        let mut row = texts([&channel.package, &channel.name, &entry.name, &entry.replaces]);
        row.push(Cell::List(entry.skips.clone()));
        row.extend(texts([entry.skip_range.as_str(), bundle.map_or("", |bundle| &bundle.image)]));
        row
    })
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<Cell> {
    texts.into_iter().map(|text| Cell::Text(text.to_owned())).collect()
}

impl Cell {
    /// How many characters it has; lists are separated by commas.
    fn width(&self) -> usize {
        match self {
            Self::Text(text) => text.chars().count(),
            Self::List(texts) => {
                let commas = texts.len().saturating_sub(1);
                texts.iter().map(|text| text.chars().count()).sum::<usize>() + commas
            }
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::List(texts) => texts.iter().enumerate().try_for_each(|(index, text)| {
                out.write_all(if index > 0 { b"," } else { b"" })?;
                out.write_all(text.as_bytes())
            }),
        }
    }
}

/// Writes so many spaces.
fn pad(count: usize, out: &mut impl Write) -> io::Result<()> {
    const SPACES: [u8; 256] = [b' '; 256];
    let mut left = count;
    while let Some(part) = SPACES.get(..left.min(SPACES.len())).filter(|part| !part.is_empty()) {
        out.write_all(part)?;
        left -= part.len();
    }
    Ok(())
}

impl Table {
    /// Writes the table: columns two spaces apart; the last one is not padded. Cells of more than `widest` characters do
    /// not widen their column.
    ///
    /// Rows are written as they come: one long list of skips makes opm pad every row to its width.
    pub fn write(&self, widest: usize, out: &mut impl Write) -> io::Result<()> {
        let headings: Vec<Cell> =
            self.columns.iter().map(|column| Cell::Text(column.heading.to_owned())).collect();
        let rows = || std::iter::once(&headings).chain(&self.rows);
        let width = |column: usize| {
            let widths = rows().filter_map(|row| row.get(column)).map(Cell::width);
            widths.filter(|width| *width <= widest).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        for row in rows() {
            for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
                cell.write(out)?;
                if index + 1 < row.len() {
                    pad(2 + width.saturating_sub(cell.width()), out)?;
                }
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// A list of objects.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| -> Value {
            let members = self.columns.iter().zip(row).map(|(column, cell)| {
                let value = match cell {
                    Cell::Text(text) => json!(text),
                    Cell::List(texts) => json!(texts),
                };
                (column.key.to_owned(), value)
            });
            Value::Object(members.collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fbc_model::load::load_bytes;

    use super::{Cell, DisplayNames, Listing, Table, list};

    fn text(table: &Table, widest: usize) -> String {
        let mut out = Vec::new();
        table.write(widest, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const CATALOG: &str = r#"
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- {name: foo.v0.2.0, replaces: foo.v0.1.0, skips: [foo.v0.1.1, foo.v0.1.2], skipRange: ">=0.1.0 <0.2.0"}
- {name: foo.v0.1.0}
---
{schema: olm.bundle, package: foo, name: foo.v0.1.0, image: "quay.io/foo/foo:v0.1.0"}
---
{schema: olm.bundle, package: foo, name: foo.v0.2.0, image: "quay.io/foo/foo:v0.2.0"}
"#;

    #[test]
    fn tables_are_padded_as_opm_does() {
        let catalog = load_bytes(Path::new("catalog.yaml"), CATALOG.as_bytes());
        let text = |listing| text(&list(&catalog, listing, None, DisplayNames::AsOpm).unwrap(), usize::MAX);
        assert_eq!(
            text(Listing::Packages),
            "NAME  DISPLAY NAME  DEFAULT CHANNEL\nfoo                 stable\n"
        );
        assert_eq!(text(Listing::Channels), "PACKAGE  CHANNEL  HEAD\nfoo      stable   foo.v0.2.0\n");
        assert_eq!(
            text(Listing::Bundles),
            "PACKAGE  CHANNEL  BUNDLE      REPLACES    SKIPS                  SKIP RANGE      IMAGE\n\
             foo      stable   foo.v0.1.0                                                     quay.io/foo/foo:v0.1.0\n\
             foo      stable   foo.v0.2.0  foo.v0.1.0  foo.v0.1.1,foo.v0.1.2  >=0.1.0 <0.2.0  quay.io/foo/foo:v0.2.0\n"
        );
        assert!(list(&catalog, Listing::Bundles, Some("bar"), DisplayNames::WithMetadata).is_none());
    }

    #[test]
    fn names_for_people_come_from_metadata_but_under_the_name_of_opm() {
        let metadata = "properties: [{type: olm.csv.metadata, value: {displayName: Foo for You}}]";
        let text =
            CATALOG.replace("image: \"quay.io/foo/foo:v0.2.0\"", &format!("image: \"a/b:c\", {metadata}"));
        let catalog = load_bytes(Path::new("catalog.yaml"), text.as_bytes());
        for (names, expected) in [(DisplayNames::WithMetadata, "Foo for You"), (DisplayNames::AsOpm, "")] {
            let table = list(&catalog, Listing::Packages, None, names).unwrap();
            assert!(table.rows[0][1] == Cell::Text(expected.to_owned()), "{names:?}");
        }
    }

    #[test]
    fn what_is_very_wide_does_not_widen_its_column() {
        let skips: Vec<String> = (0..300).map(|number| format!("\"a.v0.{number}.0\"")).collect();
        let catalog = format!(
            "{{\"schema\": \"olm.package\", \"name\": \"a\", \"defaultChannel\": \"s\"}}\n{{\"schema\": \"olm.channel\", \
             \"name\": \"s\", \"package\": \"a\", \"entries\": [{{\"name\": \"a.v1.0.0\", \"skips\": [{}]}}, {{\"name\": \
             \"a.v0.9.0\", \"skips\": [\"x\"], \"skipRange\": \"<0.9.0\"}}]}}",
            skips.join(",")
        );
        let catalog = load_bytes(Path::new("catalog.json"), catalog.as_bytes());
        let table = list(&catalog, Listing::Bundles, None, DisplayNames::WithMetadata).unwrap();
        let row = |widest: usize| {
            text(&table, widest).lines().find(|line| line.contains("a.v0.9.0")).unwrap().len()
        };
        assert_eq!(
            text(&table, 200).lines().nth(1),
            Some("a        s        a.v0.9.0            x      <0.9.0      ")
        );
        assert!(row(usize::MAX) > 2_000, "opm pads every row to the longest list");
    }
}
