//! What `fbc simulate upgrade` prints: a table, JSON, and a page with all runs.

use std::collections::BTreeMap;
use std::io::Write;

use fbc_app::count::counted;
use fbc_app::escape::Lines;
use fbc_cluster::add_ons::AddOn;
use fbc_go::text::padded;
use fbc_scenario::upgrade::{NOT_INSTALLED, Outcome, Stranded};
use fbc_simulation::page;
use serde::{Serialize, Serializer, ser};
use serde_json::{Value, json};

use super::Arguments;
use crate::command::simulate::Format;
use crate::failure::Failure;
use crate::output::file::write_output;
use crate::settings::Settings;

/// The JSON that is written, its fields in the order of their names.
#[derive(Serialize)]
struct Document<'o> {
    package: &'o Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    upgrades: Vec<Row<'o>>,
}

#[derive(Serialize)]
struct Row<'o> {
    after: &'o str,
    cannot_run: Vec<Value>,
    installed: &'o str,
    kept_by: Option<&'o str>,
    message: &'o str,
    newest: &'o str,
    package: &'o str,
    progressing: &'o str,
    run: Option<Packed<'o>>,
    success: bool,
}

/// JSON that is a value again only while it is written.
struct Packed<'o>(&'o str);

impl Serialize for Packed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: Value = serde_json::from_str(self.0).map_err(ser::Error::custom)?;
        value.serialize(serializer)
    }
}

impl<'o> Row<'o> {
    fn from_outcome(outcome: &'o Outcome, has_runs: bool) -> Self {
        let obstacles = outcome.obstacles.iter();
        let stranded = outcome.stranded.as_ref();
        Self {
            after: &outcome.after,
            cannot_run: obstacles
                .map(|one| json!({"workload": one.workload, "reason": one.reason, "message": one.message}))
                .collect(),
            installed: &outcome.installed,
            kept_by: stranded.map(|stranded| stranded.reason.as_str()),
            message: &outcome.message,
            newest: stranded.map_or(outcome.after.as_str(), |stranded| {
                stranded.newest.as_deref().unwrap_or(NOT_INSTALLED)
            }),
            package: &outcome.package,
            progressing: &outcome.progressing,
            run: outcome.run.as_deref().filter(|_| has_runs).map(Packed),
            success: outcome.is_success,
        }
    }
}

/// Writes what became of all versions.
pub(super) fn tell(outcomes: &[Outcome], arguments: &Arguments, settings: &Settings) -> Result<(), Failure> {
    let has_packages = arguments.package.is_none();
    // Of whole catalogs, thousands of versions are fine: they would hide the others.
    let is_short = settings.quiet || has_packages && !settings.verbose;
    let shown: Vec<&Outcome> = outcomes.iter().filter(|outcome| !(is_short && outcome.is_fine())).collect();
    if let Some(path) = &arguments.report {
        let is_left_out = |outcome: &&Outcome| has_packages && !settings.verbose && outcome.is_fine();
        let mut runs: Vec<&Outcome> = outcomes.iter().filter(|outcome| !is_left_out(outcome)).collect();
        if runs.is_empty() {
            // A page shows at least one run.
            runs.extend(outcomes.first());
        }
        if runs.len() < outcomes.len() && !settings.quiet {
            let left_out = counted(outcomes.len() - runs.len(), "version");
            Failure::new(format!("{} leaves out {left_out} with which nothing is wrong", path.display()))
                .help("--verbose adds them")
                .note();
        }
        let runs: Vec<&str> = runs.into_iter().filter_map(|outcome| outcome.run.as_deref()).collect();
        let page = page::draw(&format!("[{}]", runs.join(",")));
        write_output(settings, Some(path), |out| Ok(out.write_all(page.as_bytes())?))?;
    }
    write_output(settings, arguments.clusters.output_file.as_deref(), |out| {
        if arguments.clusters.output == Format::Json {
            let document = Document {
                package: &arguments.package,
                shard: arguments.clusters.shard.shard.map(|shard| shard.to_string()),
                upgrades: outcomes.iter().map(|one| Row::from_outcome(one, arguments.runs)).collect(),
            };
            return Ok(fbc_app::output::json_document::write(out, &document)?);
        }
        let out = &mut Lines::new(out, false);
        rows(out, &shown, has_packages)?;
        if has_packages && !settings.quiet && !outcomes.is_empty() {
            packages(out, outcomes)?;
        }
        counts(out, outcomes)
    })
}

/// A row for each package with versions that are not fine, and how many packages there are.
fn packages(out: &mut impl Write, outcomes: &[Outcome]) -> Result<(), Failure> {
    let packages: Vec<&[Outcome]> = outcomes.chunk_by(|one, other| one.package == other.package).collect();
    let troubled: Vec<&&[Outcome]> =
        packages.iter().filter(|package| !package.iter().all(Outcome::is_fine)).collect();
    let (all, versions) = (counted(packages.len(), "package"), counted(outcomes.len(), "version"));
    if troubled.is_empty() {
        writeln!(out, "{versions} of {all}: each comes to the newest")?;
        return Ok(());
    }
    let name = |package: &[Outcome]| package.first().map_or("", |first| &first.package).to_owned();
    let names: Vec<String> = troubled.iter().map(|package| name(package)).collect();
    let width = names.iter().map(String::len).chain(["PACKAGE".len()]).max().unwrap_or_default();
    writeln!(out, "\n{}  VERSIONS  STUCK  ABSENT  CANNOT RUN", padded("PACKAGE", width))?;
    for (name, package) in names.iter().zip(&troubled) {
        let count = |is: fn(&Outcome) -> bool| package.iter().filter(|outcome| is(outcome)).count();
        writeln!(
            out,
            "{}  {:>8}  {:>5}  {:>6}  {:>10}",
            padded(name, width),
            package.len(),
            count(|outcome| outcome.stranded.is_some()),
            count(|outcome| outcome.after == NOT_INSTALLED),
            count(|outcome| !outcome.obstacles.is_empty()),
        )?;
    }
    writeln!(out, "{} of {all} have versions that need attention", troubled.len())?;
    Ok(())
}

/// A row for each installed version, and below it what keeps it or its pods.
fn rows(out: &mut impl Write, outcomes: &[&Outcome], has_packages: bool) -> Result<(), Failure> {
    if outcomes.is_empty() {
        return Ok(());
    }
    let width = |cell: fn(&Outcome) -> &str, heading: &str| {
        outcomes.iter().map(|outcome| cell(outcome).len()).chain([heading.len()]).max().unwrap_or_default()
    };
    let first = width(|outcome| &outcome.installed, "INSTALLED");
    let second = width(|outcome| &outcome.after, "AFTER");
    let columns = |one: &str, other: &str| format!("{}  {}", padded(one, first), padded(other, second));
    writeln!(out, "{}  PROGRESSING", columns("INSTALLED", "AFTER"))?;
    let mut package = "";
    for outcome in outcomes {
        let Outcome { installed, after, progressing, message, .. } = outcome;
        if has_packages && outcome.package != package {
            package = &outcome.package;
            writeln!(out, "{package}")?;
        }
        writeln!(out, "{}  {progressing}: {message}", columns(installed, after))?;
        match &outcome.stranded {
            Some(Stranded { newest: Some(newest), reason }) => {
                writeln!(out, "  stays below {newest}: {reason}")?;
            }
            Some(Stranded { newest: None, reason }) => writeln!(out, "  stays at {installed}: {reason}")?,
            None => {}
        }
        for (group, add_on) in lacking(message) {
            writeln!(out, "  `--with {add_on}` adds a stand-in for {group}")?;
        }
        for obstacle in &outcome.obstacles {
            writeln!(out, "  {} cannot run: {}", obstacle.workload, obstacle.message)?;
        }
    }
    Ok(())
}

/// Groups whose kinds the cluster lacks by what OLM says, and the add-ons that have them.
fn lacking(message: &str) -> BTreeMap<&str, AddOn> {
    let lacking = message.split("no matches for kind ").skip(1).filter_map(|rest| {
        let (_, version) = rest.split_once(" in version \"")?;
        let (group, _) = version.split_once('/')?;
        Some((group, AddOn::of_group(group)?))
    });
    lacking.collect()
}

/// How many versions something keeps.
fn counts(out: &mut impl Write, outcomes: &[Outcome]) -> Result<(), Failure> {
    let absent = outcomes.iter().filter(|outcome| outcome.after == NOT_INSTALLED).count();
    if absent > 0 {
        writeln!(out, "{absent} of {} versions cannot be installed", outcomes.len())?;
    }
    let stuck = outcomes.iter().filter(|outcome| outcome.stranded.is_some()).count();
    if stuck > 0 {
        writeln!(out, "{stuck} of {} versions stay below the newest", outcomes.len())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_ons_are_named_for_what_lacks() {
        let of = |message: &str| {
            lacking(message).iter().map(|(group, add_on)| format!("{group}: {add_on}")).collect::<Vec<_>>()
        };
        let text = |kind: &str, version: &str| {
            format!("resource mapping not found: no matches for kind \"{kind}\" in version \"{version}\"")
        };
        let issuer = text("Issuer", "cert-manager.io/v1");
        let both = [text("Certificate", "cert-manager.io/v1"), issuer].join("\n");
        assert_eq!(of(&both), ["cert-manager.io: cert-manager"]);
        for none in [text("Route", "route.openshift.io/v1"), text("Pod", "v1"), "bad".to_owned()] {
            assert_eq!(of(&none), [] as [String; 0], "{none}");
        }
    }
}
