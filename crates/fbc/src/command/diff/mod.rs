//! `fbc diff`: what a change of a catalog means to those who run its operators.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use fbc_lint::Profile;
use fbc_lint::comparison::{self, Class, Comparison};
use fbc_lint::finding::OpmText;
use fbc_model::Catalog;

use super::validate;
use crate::arguments::Global;
use crate::catalog_source::CatalogSource;
use crate::failure::{CLEAN, FINDINGS, Failure, closest};
use crate::layout::catalogs_in_tree;
use crate::output_file::write_output;
use crate::report::{self, CheckedCatalog, Format, Style, report_on_stderr};
use crate::terminal;

mod grouping;
mod json;
mod markdown;
mod text;

/// Show what a change of a catalog means
///
/// Compares two catalogs as sets: the order of files, documents and entries does not count. Every change is
/// breaking (it takes something from people who run the operator), risky (it may) or harmless. Who can still
/// update to what is worked out for OLM v0 and OLM v1.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The catalog before: a folder, a file, `-`, or `REV:PATH` in the git repository
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    old: PathBuf,
    /// The catalog after: as above
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    new: PathBuf,
    /// Compare this package only; may be given several times
    #[arg(short, long = "package", value_name = "PACKAGE")]
    packages: Vec<String>,
    /// How the changes are written
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: DiffFormat,
    /// Exit with 1 for changes of this class, and worse ones
    #[arg(long, value_enum, default_value_t, value_name = "CLASS")]
    fail_on: FailOn,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// The formats of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
    /// A comment on a pull request
    Markdown,
    /// SARIF 2.1.0, for code scanning: what is breaking or risky
    Sarif,
}

/// Which changes fail the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Breaking changes
    #[default]
    Breaking,
    /// Breaking and risky changes
    Risky,
    /// Any change
    Any,
    /// None
    None,
}

impl FailOn {
    fn applies(self, worst: Option<Class>) -> bool {
        match (self, worst) {
            (_, None) | (Self::None, _) => false,
            (Self::Breaking, Some(class)) => class <= Class::Breaking,
            (Self::Risky, Some(class)) => class <= Class::Risky,
            (Self::Any, Some(_)) => true,
        }
    }
}

/// A comparison with what its writers need besides.
struct Compared<'c> {
    comparison: &'c Comparison,
    /// How the catalogs were named on the command line.
    old_name: String,
    new_name: String,
    old: &'c Catalog,
    new: &'c Catalog,
    source: &'c CatalogSource,
}

pub(crate) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    if arguments.old.as_os_str() == "-" && arguments.new.as_os_str() == "-" {
        return Err(Failure::new("standard input is given twice").help("give `-` once"));
    }
    let old_source = CatalogSource::open(&arguments.old)?;
    let source = CatalogSource::open(&arguments.new)?;
    let catalogs = [(&arguments.old, &old_source), (&arguments.new, &source)]
        .map(|(path, source)| (path, catalogs_in_tree(source.tree.as_ref())));
    refuse_several(&catalogs)?;
    let Some((old, _)) = load(&arguments.old, old_source)? else { return Ok(FINDINGS) };
    let Some((new, source)) = load(&arguments.new, source)? else { return Ok(FINDINGS) };
    check_packages(&arguments.packages, &old, &new)?;
    let wants = |package: &str| {
        arguments.packages.is_empty() || arguments.packages.iter().any(|wanted| wanted == package)
    };
    let comparison = comparison::compare_packages(&old, &new, &wants);
    let code = if arguments.fail_on.applies(comparison.worst()) { FINDINGS } else { CLEAN };
    let compared = Compared {
        comparison: &comparison,
        old_name: arguments.old.display().to_string(),
        new_name: arguments.new.display().to_string(),
        old: &old,
        new: &new,
        source: &source,
    };
    let has_color = arguments.output.is_none() && terminal::stdout_has_color();
    let written = match arguments.format {
        DiffFormat::Sarif => {
            let report = comparison::report(&new, source.tree.as_ref(), &comparison.changes);
            let counts = (new.files.len(), new.packages.len(), new.bundles.len());
            let checked = checked(&arguments.new, source, report, counts);
            write_output(arguments.output.as_deref(), |out| {
                Ok(report::write(Format::Sarif, &[checked], Style::default(), out)?)
            })
        }
        format => write_output(arguments.output.as_deref(), |out| {
            match format {
                DiffFormat::Json => json::write(&compared, out)?,
                DiffFormat::Markdown => markdown::write(&compared, out)?,
                _ => text::write(&compared, has_color, global, out)?,
            }
            Ok(())
        }),
    };
    match written {
        // The verdict holds even if nobody wants to read all of it.
        Err(failure) if failure.is_closed_output() => Ok(code),
        Err(failure) => Err(failure),
        Ok(()) => Ok(code),
    }
}

/// Refuses folders of catalogs: put together, what one catalog loses another may still have.
fn refuse_several(sides: &[(&PathBuf, Option<Vec<String>>); 2]) -> Result<(), Failure> {
    let Some((path, names)) = sides.iter().find_map(|(path, names)| Some((path, names.as_ref()?))) else {
        return Ok(());
    };
    let failure = Failure::new(format!("{} holds the catalogs {}", path.display(), names.join(", ")));
    let [(old, old_names), (new, new_names)] = sides;
    let common = match (old_names, new_names) {
        (Some(old), Some(new)) => old.iter().find(|name| new.contains(name)),
        _ => None,
    };
    Err(match common {
        Some(name) => failure.help(format!(
            "compare them one at a time: `fbc diff {} {}`",
            old.join(name).display(),
            new.join(name).display()
        )),
        None => failure.help("name one catalog on each side"),
    }
    .help("`fbc validate PATH --base OLD` says of each what the change breaks"))
}

/// A report on the new catalog as the writers of findings want it.
fn checked(
    reference: &Path,
    source: CatalogSource,
    report: fbc_lint::Report,
    (files, packages, bundles): (usize, usize, usize),
) -> CheckedCatalog {
    CheckedCatalog { reference: reference.to_path_buf(), source, report, files, packages, bundles }
}

/// Loads a catalog. What cannot be loaded would seem to be removed or added, so there is no comparison then;
/// the reasons are told on standard error.
fn load(reference: &Path, source: CatalogSource) -> Result<Option<(Catalog, CatalogSource)>, Failure> {
    let catalog = fbc_model::load::load_tree(source.tree.as_ref());
    if catalog.faults.is_empty() {
        return Ok(Some((catalog, source)));
    }
    let mut checked = validate::check_loaded(reference, source, &catalog, Profile::Opm);
    checked.report.findings.retain(|located| matches!(located.finding.opm, Some(OpmText::Load(_))));
    report_on_stderr(&[checked])?;
    Failure::refusal(format!(
        "{} cannot be loaded as a whole, so it cannot be compared",
        reference.display()
    ))
    .help("what was refused would look as if it were removed or added; mend it first")
    .report();
    Ok(None)
}

fn check_packages(wanted: &[String], old: &Catalog, new: &Catalog) -> Result<(), Failure> {
    let mut known = fbc_model::writer::package_names(old);
    known.extend(fbc_model::writer::package_names(new));
    let Some(package) = wanted.iter().find(|package| !known.contains(package.as_str())) else {
        return Ok(());
    };
    let failure = Failure::refusal(format!("package {package:?} is in neither catalog"));
    Err(match closest(package, known) {
        Some(name) => failure.help(format!("did you mean {name:?}?")),
        None => failure.help("`fbc list packages` shows what there is"),
    })
}

/// `1 breaking, 2 risky, 3 harmless changes in 1 of 12 packages`
fn summary(comparison: &Comparison) -> String {
    let counts: Vec<String> = Class::ALL
        .into_iter()
        .map(|class| (comparison.count(class), class.name()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let packages = comparison.packages;
    let all = if packages == 1 { "1 package".to_owned() } else { format!("{packages} packages") };
    if counts.is_empty() {
        return format!("no changes in {all}");
    }
    let word = if comparison.changes.len() == 1 { "change" } else { "changes" };
    format!("{} {word} in {} of {all}", counts.join(", "), comparison.changed_packages.len())
}
