//! `fbc diff`: what a change of a catalog means to those who run its operators.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum, ValueHint};
use fbc_app::checked::CheckedCatalog;
use fbc_app::comparison::pairs::Pairs;
use fbc_app::comparison::{Compared, document};
use fbc_app::escape::Lines;
use fbc_app::input::other::{refuse_at_sight, refuse_without_blobs};
use fbc_lint::Profile;
use fbc_lint::comparison::{self, Class};
use fbc_lint::finding::OpmText;
use fbc_model::Catalog;
use fbc_rules::rep;
use fbc_source::CatalogSource;
use fbc_source::git::Repository;
use fbc_version::OpenShiftRelease;

use crate::failure::{CLEAN, FINDINGS, Failure, closest};
use crate::output::destination::{Destination, OutputParser, OutputValue};
use crate::output::file::write_output;
use crate::policy_arguments::ocp_version;
use crate::registry::ImageArguments;
use crate::report::{self, Format, Style, report_on_stderr};
use crate::settings::Settings;
use crate::terminal;

mod markdown;
mod released;
mod text;

/// Show what a change of a catalog means
///
/// Compares two catalogs as sets: the order of files, documents and entries does not count. Every change is
/// breaking (it takes something from people who run the operator), risky (it may) or harmless. Who can still
/// update to what is worked out for OLM v0 and OLM v1. In repositories, and in directories of catalogs, one for each
/// OpenShift release (`catalogs/v4.18/<package>/`), the catalogs of one path are compared, each pair on its own.
/// A new catalog that is not valid is breaking, too. Without OLD and NEW, what is here is compared with the last commit. With --index, the catalog or repository is OLD, and
/// a bundle that the index has with another image is breaking, and one that it does not have harmless.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 no change that --fail-on names, 1 there is one, or a catalog cannot be loaded, 2 could not run."
)]
pub(crate) struct Arguments {
    /// The catalog before: a directory, a file, `-`, or `REV:PATH` in the git repository
    #[arg(value_name = "OLD", default_value = "HEAD:.", default_value_if("index", ArgPredicate::IsPresent, "."),
          value_hint = ValueHint::AnyPath)]
    old: PathBuf,
    /// The catalog after: as above [default: the current directory, or the root of the repository if OLD is `REV:`]
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    new: Option<PathBuf>,
    /// Compare this package only; can be repeated
    #[arg(short, long = "package", value_name = "PACKAGE")]
    packages: Vec<String>,
    /// How the changes are written; FORMAT=FILE writes to a file, and can be repeated [default: text]
    #[arg(short, long, alias = "format", value_parser = OutputParser::<DiffFormat>::new(), value_name = "FORMAT[=FILE]")]
    output: Vec<OutputValue<DiffFormat>>,
    /// Say instead which channels and bundles of a catalog this released index has: an image or a directory, in which
    /// {ocp} stands for the OpenShift release of a catalog. An index with {ocp} that does not exist yet has nothing
    #[arg(long, value_name = "REF", value_hint = ValueHint::AnyPath)]
    index: Option<String>,
    /// With --index, of a repository only the catalogs for these versions of OpenShift
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = ocp_version, requires = "index")]
    ocp: Vec<OpenShiftRelease>,
    /// Exit with 1 for changes of this class, and worse ones
    #[arg(long, value_enum, default_value_t, value_name = "CLASS")]
    fail_on: FailOn,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

impl Arguments {
    /// The catalog after.
    fn new_catalog(&self, settings: &Settings) -> PathBuf {
        let is_root = self.old.as_os_str().as_encoded_bytes().ends_with(b":");
        let root =
            || Repository::around(Path::new("."), settings.budgets.git).and_then(|here| here.way_up()).ok();
        let root = is_root.then(root).flatten().filter(|root| !root.as_os_str().is_empty());
        self.new.clone().or(root).unwrap_or_else(|| PathBuf::from("."))
    }

    /// What is written where.
    fn destinations(&self) -> Vec<Destination<'_, DiffFormat>> {
        OutputValue::destinations(&self.output, self.output_file.as_ref())
    }
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

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if let Some(index) = &arguments.index {
        return released::run(arguments, index, settings);
    }
    let new = arguments.new_catalog(settings);
    let session = arguments.images.session([&arguments.old, &new], settings);
    if arguments.old.as_os_str() == "-" && new.as_os_str() == "-" {
        return Err(Failure::new("standard input is given twice").help("give `-` once"));
    }
    let Pairs { pairs, is_layout } = fbc_app::comparison::pairs::find(&arguments.old, &new, &session)?;
    let destinations = arguments.destinations();
    let wants_findings = destinations.iter().any(|one| one.format == DiffFormat::Sarif);
    let mut told = Told { is_layout, catalogs: pairs.len(), ..Told::default() };
    told.texts.resize_with(destinations.len(), Vec::new);
    let mut is_whole = true;
    for pair in pairs {
        let (old, new) = (load(&pair.old.0, pair.old.1, settings)?, load(&pair.new.0, pair.new.1, settings)?);
        let (Some((old, old_source)), Some((new, source))) = (old, new) else {
            is_whole = false;
            continue;
        };
        if !is_layout && [&old, &new].iter().all(|catalog| catalog.files.is_empty()) {
            return Err(Failure::refusal(format!(
                "neither {} nor {} holds a blob, so there is nothing to compare",
                pair.old.0.display(),
                pair.new.0.display()
            ))
            .help("name the directories or files of catalogs"));
        }
        let wants = |package: &str| {
            arguments.packages.is_empty() || arguments.packages.iter().any(|wanted| wanted == package)
        };
        let comparison = comparison::compare_packages(&old, &new, &wants);
        let faults = fbc_app::comparison::validity::new_faults((&old, &old_source), (&new, &source), &wants);
        for catalog in [&old, &new] {
            told.packages.extend(fbc_model::writer::package_names(catalog).into_iter().map(str::to_owned));
        }
        let compared = Compared {
            comparison: &comparison,
            old_name: pair.old.0.display().to_string(),
            new_name: pair.new.0.display().to_string(),
            old: &old,
            new: &new,
            source: &source,
            faults: &faults,
        };
        told.tell(&destinations, &compared, settings)?;
        if wants_findings {
            let mut report = rep::report(&new, source.tree.as_ref(), &comparison.changes);
            report.findings.extend(faults);
            let counts = (new.files.len(), new.packages.len(), new.bundles.len());
            told.checked.push(checked(&pair.new.0, source, report, counts));
        }
    }
    if !is_whole {
        return Ok(FINDINGS);
    }
    check_packages(&arguments.packages, &told.packages)?;
    let code = if arguments.fail_on.applies(told.worst) { FINDINGS } else { CLEAN };
    for (Destination { format, file }, text) in destinations.iter().zip(&told.texts) {
        write_output(settings, *file, |out| match format {
            DiffFormat::Sarif => Ok(report::write(Format::Sarif, &told.checked, Style::default(), out)?),
            DiffFormat::Json => Ok(document::write(&told.documents, is_layout, out)?),
            DiffFormat::Text | DiffFormat::Markdown => Ok(out.write_all(text)?),
        })?;
    }
    Ok(code)
}

/// What is to be told of all comparisons: their catalogs do not stay in memory.
#[derive(Default)]
struct Told {
    is_layout: bool,
    catalogs: usize,
    worst: Option<Class>,
    packages: BTreeSet<String>,
    /// By destination: the text, where it is one.
    texts: Vec<Vec<u8>>,
    documents: Vec<String>,
    checked: Vec<CheckedCatalog>,
}

impl Told {
    fn tell(
        &mut self,
        destinations: &[Destination<'_, DiffFormat>],
        compared: &Compared<'_>,
        settings: &Settings,
    ) -> Result<(), Failure> {
        self.worst = self.worst.into_iter().chain(compared.worst()).min();
        if destinations.iter().any(|one| one.format == DiffFormat::Json) {
            self.documents.push(document::document(compared)?);
        }
        for (Destination { format, file }, text) in destinations.iter().zip(&mut self.texts) {
            match format {
                DiffFormat::Sarif | DiffFormat::Json => {}
                DiffFormat::Markdown => markdown::write(compared, self.catalogs, text)?,
                DiffFormat::Text => {
                    let has_color = file.is_none() && terminal::stdout_has_color();
                    let title = self.is_layout.then_some(compared.new_name.as_str());
                    text::write(compared, title, has_color, settings, &mut Lines::new(text, has_color))?;
                }
            }
        }
        Ok(())
    }
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
fn load(
    reference: &Path,
    source: CatalogSource,
    settings: &Settings,
) -> Result<Option<(Catalog, CatalogSource)>, Failure> {
    refuse_at_sight(&source, reference, &settings.reading())?;
    let catalog = fbc_app::loading::load_tree(source.tree.as_ref(), settings)?;
    refuse_without_blobs(&source, &catalog, reference)?;
    if catalog.faults.is_empty() {
        return Ok(Some((catalog, source)));
    }
    let mut checked = fbc_app::checked::check_loaded(reference, source, &catalog, Profile::Opm);
    checked.report.findings.retain(|located| matches!(located.finding.opm, Some(OpmText::Load(_))));
    report_on_stderr(&[checked])?;
    Failure::refusal(format!(
        "{} cannot be loaded as a whole, so it cannot be compared",
        reference.display()
    ))
    .help("what was refused would look as if it were removed or added; fix it first")
    .report();
    Ok(None)
}

fn check_packages(wanted: &[String], known: &BTreeSet<String>) -> Result<(), Failure> {
    let Some(package) = wanted.iter().find(|package| !known.contains(*package)) else {
        return Ok(());
    };
    let failure = Failure::refusal(format!("package {package:?} is in neither catalog"));
    Err(match closest(package, known.iter().map(String::as_str)) {
        Some(name) => failure.help(format!("did you mean {name:?}?")),
        None => failure.help("`fbc list packages` shows what there is"),
    })
}
