//! The selection of a catalog's parts, from the words of the command line.

use std::collections::BTreeMap;

use fbc_graph::filter::{ChannelSelection, Keep, PackageSelection, Selection};
use fbc_model::Catalog;
use fbc_model::writer::package_names;
use fbc_source::Error;
use fbc_version::{Grammar, Range, Target, Version};

use crate::invalid_value::InvalidValue;

/// `P`, `P:CHANNEL`, `P:CHANNEL:RANGE` or `P::RANGE`.
#[derive(Clone, Debug)]
pub struct PackageWord {
    package: String,
    channel: Option<String>,
    range: Option<Range>,
}

impl PackageWord {
    /// Every package of a catalog as a whole: what `--heads-only` means where no package is named.
    pub fn every(catalog: &Catalog) -> Vec<Self> {
        let names = package_names(catalog).into_iter();
        names.map(|package| Self { package: package.to_owned(), channel: None, range: None }).collect()
    }

    /// Reads the value of `--package`.
    pub fn parse(word: &str) -> Result<Self, InvalidValue> {
        let mut parts = word.splitn(3, ':');
        let package = parts.next().unwrap_or_default();
        if package.is_empty() {
            return Err("the name of the package is missing".into());
        }
        let channel = parts.next().map(str::to_owned);
        let range = match parts.next() {
            None if channel.as_deref() == Some("") => {
                return Err("the channel is missing behind `:`".into());
            }
            None => None,
            Some("") => return Err("the range is missing behind the last `:`".into()),
            Some(text) => Some(
                Range::parse(Grammar::Masterminds, Target::Latest, text)
                    .map_err(|error| format!("{text:?} is not a range: {error}"))?,
            ),
        };
        Ok(Self { package: package.to_owned(), channel, range })
    }
}

/// `P=VERSION`, or a version for the only package.
#[derive(Clone, Debug)]
pub struct VersionOfPackage {
    package: Option<String>,
    version: Version,
}

impl VersionOfPackage {
    /// Reads the value of `--keep-path-from`.
    pub fn parse(word: &str) -> Result<Self, InvalidValue> {
        let (package, version) = match word.split_once('=') {
            Some((package, version)) => (Some(package.to_owned()), version),
            None => (None, word),
        };
        let version =
            Version::parse(version).map_err(|error| format!("{version:?} is not a version: {error}"))?;
        Ok(Self { package, version })
    }
}

/// `P=CHANNEL`
#[derive(Clone, Debug)]
pub struct ChannelOfPackage {
    package: String,
    channel: String,
}

impl ChannelOfPackage {
    /// Reads the value of `--default-channel`.
    pub fn parse(word: &str) -> Result<Self, InvalidValue> {
        match word.split_once('=') {
            Some((package, channel)) if !package.is_empty() && !channel.is_empty() => {
                Ok(Self { package: package.to_owned(), channel: channel.to_owned() })
            }
            _ => Err("expected PACKAGE=CHANNEL".into()),
        }
    }
}

/// Puts the flags together.
pub fn selection(
    packages: &[PackageWord],
    heads_only: bool,
    paths: &[VersionOfPackage],
    defaults: &[ChannelOfPackage],
) -> Result<Selection, Error> {
    let mut by_package: BTreeMap<&str, Vec<&PackageWord>> = BTreeMap::new();
    for word in packages {
        by_package.entry(&word.package).or_default().push(word);
    }
    let require = |flag: &str, package: &str| match by_package.contains_key(package) {
        true => Ok(()),
        false => Err(Error::new(format!("{flag} names package {package:?}, which is not kept"))
            .help(format!("add `--package {package}`, or correct the name"))),
    };
    let mut from: BTreeMap<&str, &Version> = BTreeMap::new();
    for path in paths {
        let package = match (&path.package, by_package.keys().next()) {
            (Some(package), _) => package.as_str(),
            (None, Some(only)) if by_package.len() == 1 => only,
            (None, _) => {
                return Err(Error::new("--keep-path-from does not say which package it means")
                    .help(format!("write `--keep-path-from PACKAGE={}`", path.version)));
            }
        };
        require("--keep-path-from", package)?;
        if from.insert(package, &path.version).is_some() {
            return Err(Error::new(format!("--keep-path-from is given twice for package {package:?}"))
                .help("give the lowest version; what leads from it to the head is kept"));
        }
    }
    for default in defaults {
        require("--default-channel", &default.package)?;
    }
    let mut selection = Selection::default();
    for (package, words) in &by_package {
        if words.len() > 1 && words.iter().any(|word| word.channel.is_none()) {
            return Err(Error::new(format!("package {package:?} is wanted as a whole and in parts"))
                .help("leave out `--package` without a channel, or those with one"));
        }
        let without_range = || match from.get(package) {
            Some(version) => Keep::WayFrom((*version).clone()),
            None if heads_only => Keep::Head,
            None => Keep::All,
        };
        let channels: Vec<ChannelSelection> = words
            .iter()
            .map(|word| ChannelSelection {
                name: word.channel.clone().unwrap_or_default(),
                keep: word.range.clone().map_or_else(without_range, Keep::Range),
            })
            .collect();
        let chosen: Vec<&ChannelOfPackage> =
            defaults.iter().filter(|default| default.package == *package).collect();
        if chosen.len() > 1 {
            return Err(Error::new(format!("--default-channel is given twice for package {package:?}"))
                .help("a package has one default channel"));
        }
        let default_channel = chosen.first().map(|default| default.channel.clone());
        selection.packages.insert((*package).to_owned(), PackageSelection { channels, default_channel });
    }
    Ok(selection)
}
