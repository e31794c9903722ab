//! What is ordered: catalogs with the packages that are wanted of them, and single images.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fbc_graph::filter::{ChannelSelection, Keep, PackageSelection, Selection};
use fbc_model::Catalog;
use fbc_model::writer::package_names;
use fbc_version::Range;

/// A catalog that is to be mirrored, or a part of it.
#[derive(Clone, Debug)]
pub struct Order {
    /// An image reference, or a directory.
    pub catalog: PathBuf,
    /// What of it.
    pub packages: Packages,
    /// The repository of the catalog at the destination, if not that of the source.
    pub target_repository: Option<String>,
    /// The tag of the catalog at the destination, if not that of the source.
    pub target_tag: Option<String>,
}

/// An image besides those of catalogs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraImage {
    /// Its reference.
    pub name: String,
    /// Its repository at the destination, if not that of the source.
    pub target_repository: Option<String>,
    /// Its tag at the destination, if not that of the source.
    pub target_tag: Option<String>,
}

/// The packages that are wanted.
#[derive(Clone, Debug)]
pub enum Packages {
    /// All, with everything in them.
    All,
    /// Of each package the head of each channel.
    Heads,
    /// These.
    These(Vec<WantedPackage>),
    /// What flags select.
    Selection(Selection),
}

/// A package that is wanted.
#[derive(Clone, Debug)]
pub struct WantedPackage {
    /// Its name.
    pub name: String,
    /// Its channels; without any all of them.
    pub channels: Vec<WantedChannel>,
    /// Which versions, where channels do not say it.
    pub versions: Versions,
    /// The default channel from now on.
    pub default_channel: Option<String>,
}

/// A channel that is wanted.
#[derive(Clone, Debug)]
pub struct WantedChannel {
    /// Its name.
    pub name: String,
    /// Which of its versions, if not those of the package.
    pub versions: Option<Versions>,
}

/// The versions that are wanted.
#[derive(Clone, Debug)]
pub enum Versions {
    /// All of them.
    All,
    /// The head of the channel.
    Head,
    /// Those in a range, with what lies between them.
    Range(Range),
}

/// What a selection names and a catalog does not have, in words. A month later a channel may be gone, and the rest is wanted
/// all the same.
pub type Absent = Vec<String>;

impl Versions {
    fn keep(&self) -> Keep {
        match self {
            Self::All => Keep::All,
            Self::Head => Keep::Head,
            Self::Range(range) => Keep::Chain(range.clone()),
        }
    }
}

impl WantedPackage {
    /// What is wanted of a package, of the channels that there are; of those that are named, if there is none of them.
    fn selection(&self, known: &BTreeSet<&str>, absent: &mut Absent) -> PackageSelection {
        let channel = |name: &str, versions: &Versions| ChannelSelection {
            name: name.to_owned(),
            keep: versions.keep(),
        };
        let (there, gone): (Vec<_>, Vec<_>) =
            self.channels.iter().partition(|channel| known.contains(channel.name.as_str()));
        let named = if there.is_empty() { self.channels.iter().collect() } else { there };
        if named.len() < self.channels.len() {
            let name = &self.name;
            absent.extend(gone.iter().map(|gone| format!("package {name:?} has no channel {:?}", gone.name)));
        }
        let channels = match (named.as_slice(), &self.versions) {
            ([], Versions::All) => Vec::new(),
            ([], versions) => vec![channel("", versions)],
            (named, versions) => named
                .iter()
                .map(|one| channel(&one.name, one.versions.as_ref().unwrap_or(versions)))
                .collect(),
        };
        PackageSelection { channels, default_channel: self.default_channel.clone() }
    }
}

impl Packages {
    /// The selection for a catalog, nothing if all of it is wanted; and what the catalog does not have of it.
    pub fn selection(&self, catalog: &Catalog) -> (Option<Selection>, Absent) {
        let mut absent = Absent::new();
        let selection = match self {
            Self::All => None,
            Self::Selection(selection) => Some(selection.clone()),
            Self::These(packages) => Some(these(packages, catalog, &mut absent)),
            Self::Heads => {
                let heads = || ChannelSelection { name: String::new(), keep: Keep::Head };
                let package = || PackageSelection { channels: vec![heads()], default_channel: None };
                let names = package_names(catalog).into_iter();
                Some(Selection { packages: names.map(|name| (name.to_owned(), package())).collect() })
            }
        };
        (selection, absent)
    }
}

/// The packages that there are; those that are named, if there is none of them.
fn these(packages: &[WantedPackage], catalog: &Catalog, absent: &mut Absent) -> Selection {
    let known: BTreeSet<&str> = catalog.packages.iter().map(|package| package.name.as_str()).collect();
    let mut channels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for channel in &catalog.channels {
        channels.entry(&channel.package).or_default().insert(&channel.name);
    }
    let (there, gone): (Vec<_>, Vec<_>) =
        packages.iter().partition(|package| known.contains(package.name.as_str()));
    let named = if there.is_empty() { packages.iter().collect() } else { there };
    if named.len() < packages.len() {
        absent.extend(gone.iter().map(|gone| format!("there is no package {:?}", gone.name)));
    }
    let mut selected = |package: &WantedPackage| {
        let channels = channels.get(package.name.as_str()).cloned().unwrap_or_default();
        (package.name.clone(), package.selection(&channels, absent))
    };
    Selection { packages: named.into_iter().map(&mut selected).collect() }
}
