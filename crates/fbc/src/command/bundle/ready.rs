//! `fbc bundle ready`: whether OLM v1 of releases of OpenShift installs bundles, and which updates they block.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::input::bundle::{open, read_from};
use fbc_app::invalid_value::InvalidValue;
use fbc_app::issue_words::words;
use fbc_bundle::readiness::{Limit, Readiness, Verdict, readiness};
use fbc_go::text::padded;
use fbc_version::OpenShiftRelease;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::progress::Counter;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Show which releases of OpenShift can install bundles with OLM v1, and which cluster updates they block
///
/// A bundle is checked as the operator-controller of each release does it, with the features of that release. An
/// update of the cluster from a minor version is blocked while a bundle is installed whose `olm.maxOpenShiftVersion`
/// is not beyond that version, or cannot be understood.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 all bundles can be installed on all releases, 1 some cannot, 2 could not run. Blocked \
updates do not count.\n\nReleases: 4.18 and 4.19 refuse webhooks; in 4.20 they are a Technology Preview. Watching single \
namespaces is one in 4.19 and 4.20. Releases after 4.21 are taken to be like 4.21."
)]
pub(crate) struct Arguments {
    /// Bundle directories and images
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    /// OpenShift releases
    #[arg(long, value_name = "VERSION", required = true, value_delimiter = ',', value_parser = release)]
    ocp: Vec<OpenShiftRelease>,
    /// Count features of the feature set TechPreviewNoUpgrade as there
    #[arg(long)]
    tech_preview: bool,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    #[command(flatten)]
    images: ImageArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables with the reasons
    #[default]
    Text,
    /// A list of bundles
    Json,
}

fn release(text: &str) -> Result<OpenShiftRelease, InvalidValue> {
    let release = OpenShiftRelease::parse(text).filter(|release| release.major >= 4);
    release.ok_or_else(|| "write an OpenShift release, such as 4.19".into())
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session(&arguments.folders, settings);
    let releases: BTreeSet<OpenShiftRelease> = arguments.ocp.iter().copied().collect();
    let progress = Counter::new("reading bundles", arguments.folders.len(), settings.quiet);
    let judged = arguments
        .folders
        .par_iter()
        .map(|folder| {
            let source = open(folder, &session)?;
            let judged = readiness(&read_from(&source, folder)?, source.tree.as_ref(), &releases);
            progress.step();
            Ok(judged)
        })
        .collect::<Result<Vec<Readiness>, Failure>>()?;
    drop(progress);
    let bundles: Vec<(String, Readiness)> =
        arguments.folders.iter().map(|folder| folder.display().to_string()).zip(judged).collect();
    write_output(settings, None, |out| match arguments.output {
        Format::Text => Ok(write_text(&bundles, &releases, &mut terminal::text_to(out, None))?),
        Format::Json => {
            let list: Vec<Value> = bundles.iter().map(|(folder, bundle)| in_json(folder, bundle)).collect();
            serde_json::to_writer_pretty(&mut *out, &list).map_err(io::Error::from)?;
            Ok(writeln!(out)?)
        }
    })?;
    let worst = bundles
        .iter()
        .flat_map(|(_, bundle)| releases.iter().map(|release| bundle.verdict(*release)))
        .max()
        .unwrap_or(Verdict::Ready);
    let is_ready = worst == Verdict::Ready || (worst == Verdict::Preview && arguments.tech_preview);
    Ok(if is_ready { CLEAN } else { FINDINGS })
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ready => "yes",
        Verdict::Preview => "preview",
        Verdict::NotReady => "no",
    }
}

fn write_text(
    bundles: &[(String, Readiness)],
    releases: &BTreeSet<OpenShiftRelease>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = bundles.iter().map(|(_, bundle)| bundle.name.chars().count()).max().unwrap_or(0).max(6);
    let row = |out: &mut dyn Write, name: &str, cells: &[&str]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("  {cell:<12}")).collect();
        writeln!(out, "{}", (padded(name, width) + &cells.concat()).trim_end())
    };
    let names: Vec<String> = releases.iter().map(ToString::to_string).collect();
    writeln!(out, "Installable under OLM v1")?;
    row(out, "bundle", &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    for (_, bundle) in bundles {
        let cells: Vec<&str> =
            releases.iter().map(|release| verdict_word(bundle.verdict(*release))).collect();
        row(out, &bundle.name, &cells)?;
    }
    writeln!(out, "\nCluster updates while installed")?;
    let updates: Vec<String> =
        releases.iter().map(|release| format!("{release}->{}", release.next())).collect();
    row(out, "bundle", &updates.iter().map(String::as_str).collect::<Vec<_>>())?;
    for (_, bundle) in bundles {
        let cells: Vec<&str> = releases
            .iter()
            .map(|release| if bundle.limit.blocks_update_from(*release) { "blocked" } else { "allowed" })
            .collect();
        row(out, &bundle.name, &cells)?;
    }
    for (folder, bundle) in bundles {
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        for (release, issues) in &bundle.issues {
            for text in issues.iter().map(words) {
                match lines.iter_mut().find(|(known, _)| *known == text) {
                    Some((_, releases)) => releases.push(release.to_string()),
                    None => lines.push((text, vec![release.to_string()])),
                }
            }
        }
        if let Limit::Invalid(reason) = &bundle.limit {
            lines.push((format!("olm.maxOpenShiftVersion blocks every update: {reason}"), Vec::new()));
        }
        if !lines.is_empty() {
            writeln!(out, "\n{} ({folder})", bundle.name)?;
        }
        for (text, releases) in lines {
            let releases =
                if releases.is_empty() { String::new() } else { format!("{}: ", releases.join(", ")) };
            let mut lines = text.lines();
            writeln!(out, "  {releases}{}", lines.next().unwrap_or_default())?;
            lines.try_for_each(|line| writeln!(out, "    {line}"))?;
        }
    }
    Ok(())
}

fn in_json(folder: &str, bundle: &Readiness) -> Value {
    let releases: Map<String, Value> = bundle
        .issues
        .iter()
        .map(|(release, issues)| {
            let answer = json!({
                "installable": verdict_word(bundle.verdict(*release)),
                "issues": issues.iter().map(words).collect::<Vec<_>>(),
                "update": {
                    "to": release.next().to_string(),
                    "blocked": bundle.limit.blocks_update_from(*release),
                },
            });
            (release.to_string(), answer)
        })
        .collect();
    let limit = match &bundle.limit {
        Limit::None => Value::Null,
        Limit::Until(release) => json!({ "version": release.to_string() }),
        Limit::Invalid(error) => json!({ "error": error }),
    };
    json!({ "directory": folder, "bundle": bundle.name, "releases": releases, "maxOpenShiftVersion": limit })
}
