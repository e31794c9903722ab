//! What is ordered: catalogs with the packages that are wanted of them, and single images.

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
    /// Of each package the head of its default channel.
    HeadsOfDefaultChannels,
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
    /// Its channels; without any the default channel, or with [`Versions::All`] all of them.
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
    /// Which of its versions.
    pub versions: Versions,
}

/// The versions that are wanted.
#[derive(Clone, Debug)]
pub enum Versions {
    /// All of them.
    All,
    /// The head of the channel.
    Head,
    /// Those in a range.
    Range(Range),
}

impl Versions {
    fn keep(&self) -> Keep {
        match self {
            Self::All => Keep::All,
            Self::Head => Keep::Head,
            Self::Range(range) => Keep::Range(range.clone()),
        }
    }
}

impl Packages {
    /// The selection for a catalog; nothing if all of it is wanted.
    pub fn selection(&self, catalog: &Catalog) -> Option<Selection> {
        let default_channel = |package: &str| {
            let package = catalog.packages.iter().find(|one| one.name == package);
            package.map(|package| package.default_channel.clone()).unwrap_or_default()
        };
        let wanted = |package: &WantedPackage| {
            let channel =
                |name: String, versions: &Versions| ChannelSelection { name, keep: versions.keep() };
            let channels = match (package.channels.as_slice(), &package.versions) {
                ([], Versions::All) => Vec::new(),
                ([], versions) => {
                    let default = package.default_channel.clone();
                    vec![channel(default.unwrap_or_else(|| default_channel(&package.name)), versions)]
                }
                (channels, _) => {
                    channels.iter().map(|one| channel(one.name.clone(), &one.versions)).collect()
                }
            };
            let selection = PackageSelection { channels, default_channel: package.default_channel.clone() };
            (package.name.clone(), selection)
        };
        match self {
            Self::All => None,
            Self::Selection(selection) => Some(selection.clone()),
            Self::These(packages) => Some(Selection { packages: packages.iter().map(wanted).collect() }),
            Self::Heads => {
                let heads = || ChannelSelection { name: String::new(), keep: Keep::Head };
                let package = || PackageSelection { channels: vec![heads()], default_channel: None };
                let names = package_names(catalog).into_iter();
                Some(Selection { packages: names.map(|name| (name.to_owned(), package())).collect() })
            }
            Self::HeadsOfDefaultChannels => {
                let heads = catalog.packages.iter().map(|package| WantedPackage {
                    name: package.name.clone(),
                    channels: Vec::new(),
                    versions: Versions::Head,
                    default_channel: None,
                });
                Some(Selection { packages: heads.map(|package| wanted(&package)).collect() })
            }
        }
    }
}
