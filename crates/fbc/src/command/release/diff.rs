//! `fbc release diff`: what an update from one payload to another changes.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::escape::Lines;
use fbc_openshift::release::difference::{Difference, Identity};
use fbc_simulation::input::payload::PayloadSource;

use super::{ClusterArguments, Format};
use crate::failure::{CLEAN, Failure, STRONG};
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Show what an update from one payload to another changes
///
/// Objects come, change and go; versions of definitions that are no longer served are what other software on the
/// cluster may miss. An object that is no longer delivered stays on the cluster; only tombstones delete.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The payload of the present release: a directory, or a release image
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    old: PathBuf,
    /// The payload of the next release
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    new: PathBuf,
    #[command(flatten)]
    cluster: ClusterArguments,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    #[command(flatten)]
    images: ImageArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.old, &arguments.new], settings);
    let inclusion = arguments.cluster.inclusion();
    let old = PayloadSource::open(&arguments.old, &session)?.load(&inclusion)?;
    let new = PayloadSource::open(&arguments.new, &session)?.load(&inclusion)?;
    arguments.cluster.check_profile([&old, &new])?;
    let difference = Difference::between(&old, &new);
    match arguments.output {
        Format::Json => {
            let mut out = terminal::stdout();
            fbc_app::output::json_document::write(&mut out, &difference.to_value())?;
            out.flush()?;
        }
        Format::Text => {
            let mut out = Lines::new(anstream::AutoStream::auto(io::stdout()).lock(), true);
            text(&difference, &mut out)?;
            out.flush()?;
        }
    }
    Ok(CLEAN)
}

fn text(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let (from, to) = &difference.versions;
    let listed =
        if difference.is_update { "" } else { " (the new release does not list the old one as previous)" };
    writeln!(out, "from {from} to {to}{listed}")?;
    section(out, "no longer served", &difference.lost, |api| {
        format!("{} {}/{}", api.kind, api.group, api.version)
    })?;
    section(out, "deleted", &difference.deleted, shown)?;
    section(out, "no longer delivered, stays", &difference.left, shown)?;
    section(out, "added", &difference.added, shown)?;
    section(out, "changed", &difference.changed, |(identity, paths)| {
        const MOST: usize = 3;
        let more =
            if paths.len() > MOST { format!(", and {} more", paths.len() - MOST) } else { String::new() };
        let named: Vec<&str> = paths.iter().take(MOST).map(String::as_str).collect();
        format!("{}: {}{more}", shown(identity), named.join(", "))
    })?;
    section(out, "images", &difference.images, |(name, old, new)| match (old, new) {
        (Some(_), Some(_)) => format!("{name} changes"),
        (None, _) => format!("{name} comes"),
        (_, None) => format!("{name} goes"),
    })
}

fn shown((group, kind, name): &Identity) -> String {
    let group = if group.is_empty() { String::new() } else { format!(".{group}") };
    format!("{kind}{group} {name}")
}

fn section<T>(out: &mut dyn Write, title: &str, list: &[T], line: impl Fn(&T) -> String) -> io::Result<()> {
    if list.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{STRONG}{title}{STRONG:#} ({})", list.len())?;
    list.iter().try_for_each(|one| writeln!(out, "  {}", line(one)))
}
