//! Why a part of a catalog cannot be taken, with what would help.

use fbc_graph::filter::Refusal;
use fbc_model::Catalog;
use fbc_model::closest::closest;
use fbc_source::Error;

/// Names that are listed; `--verbose` lists all.
pub const MAX_LISTED: usize = 8;

/// A refusal, with the flag that would help.
#[must_use]
pub fn error_of(refusal: &Refusal, catalog: &Catalog) -> Error {
    let failure = Error::refusal(refusal.to_string());
    match refusal {
        Refusal::NoPackage { package } => {
            match closest(package, catalog.packages.iter().map(|package| package.name.as_str())) {
                Some(name) => failure.help(format!("did you mean {name:?}?")),
                None => failure.help("`fbc list packages` shows what there is"),
            }
        }
        Refusal::NoChannel { channel, known, .. } => {
            match closest(channel, known.iter().map(String::as_str)) {
                Some(name) => failure.help(format!("did you mean {name:?}?")),
                None => failure.help(format!("there are {}", listed(known, false))),
            }
        }
        Refusal::NothingInRange { known, .. } => failure.help(format!(
            "there are {}; prereleases are only in ranges that name one, as `>=1.0.0-0`",
            listed(known, false)
        )),
        Refusal::NoVersion { .. } => {
            failure.help("its bundle needs a property olm.package with a version; `fbc validate` says more")
        }
        Refusal::SeveralHeads { joined_by: Some(entry), .. } => {
            failure.help(format!("widen the range so that it takes {entry:?}, which comes after all of them"))
        }
        Refusal::SeveralHeads { joined_by: None, .. } | Refusal::Cycle { .. } => {
            failure.help("fix the channel first; `fbc validate` says more")
        }
        Refusal::Stranded { package, channel, .. } => failure
            .help(format!("take more of the channel, or all of it with `--package {package}:{channel}`")),
        Refusal::NoWay { package, .. } => failure.help(format!(
            "name the channels that have one with `--package {package}:CHANNEL`, or give another version"
        )),
        Refusal::DefaultChannelLost { package, candidates, .. }
        | Refusal::UnknownDefaultChannel { package, candidates, .. } => {
            let channel = candidates.first().map_or("CHANNEL", String::as_str);
            failure.help(format!(
                "choose one that stays ({}), as with `--default-channel {package}={channel}`",
                listed(candidates, true)
            ))
        }
    }
}

/// The first names of a list and how many there are besides, or all.
#[must_use]
pub fn listed(names: &[String], all: bool) -> String {
    let shown = if all { names.len() } else { MAX_LISTED.min(names.len()) };
    let mut text = names.iter().take(shown).cloned().collect::<Vec<_>>().join(", ");
    if shown < names.len() {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    text
}
