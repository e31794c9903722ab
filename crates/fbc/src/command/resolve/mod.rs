//! `fbc resolve`: what OLM would install, and why not something else.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::resolution::answer::{Answer, Explain, load, with_images};
use fbc_app::resolution::manifests::Extension;
use fbc_app::resolution::question::Question;
use fbc_app::resolution::{manifests, question};
use fbc_resolve::{Resolver, Rules};
use fbc_version::Target;
use rayon::prelude::*;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::graph_arguments::Semantics;
use crate::output::destination::{Destination, OutputParser, OutputValue};
use crate::output::file::write_output;
use crate::package_argument::hint_if_swapped;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

mod answer;
mod v0;

/// Say which bundle OLM would install, and why no other
///
/// Resolves one package, or every ClusterExtension in manifests against the ClusterCatalogs beside them. With `--olm v0`:
/// the package for one Subscription, or every namespace with Subscriptions in manifests, with what they need. The errors are
/// those that a cluster reports.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 everything resolves, 1 something does not, 2 could not run.",
    override_usage = "fbc resolve [OPTIONS] PACKAGE REF...\n       fbc resolve [OPTIONS] --package PACKAGE REF...\n       \
                      fbc resolve [OPTIONS] --file PATH..."
)]
pub(crate) struct Arguments {
    /// The package, unless --package names it; then catalogs, as --catalog with a name made of the reference
    #[arg(value_name = "PACKAGE_OR_REF", required_unless_present_any = ["files", "package"], conflicts_with = "files", value_hint = ValueHint::AnyPath)]
    words: Vec<String>,
    /// The package
    #[arg(short, long, value_name = "PACKAGE", conflicts_with = "files")]
    package: Option<String>,
    /// Manifests of ClusterCatalogs and ClusterExtensions (OLM v0: of CatalogSources, Subscriptions, OperatorGroups and
    /// ClusterServiceVersions): files, directories, or `-` for standard input; everything else in them is ignored
    #[arg(short, long = "file", value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Which OLM resolves
    #[arg(long, value_enum, default_value_t, value_name = "OLM", alias = "semantics")]
    olm: Semantics,
    /// The content of a ClusterCatalog (OLM v0: of a CatalogSource): a directory, a file, an image, or `-` for standard input; the name may be left out
    #[arg(long = "catalog", value_name = "[NAME=]REF")]
    catalogs: Vec<String>,
    /// The range of versions, as in `spec.source.catalog.version`
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, conflicts_with = "files")]
    version: Option<String>,
    /// A channel to choose from; without any, all of them
    #[arg(long = "channel", value_name = "CHANNEL", conflicts_with = "files")]
    channels: Vec<String>,
    /// Which catalogs to choose from, as kubectl takes it: `tier=gold,!test`, `tier in (gold,silver)`
    #[arg(long = "selector", short = 'l', value_name = "SELECTOR", conflicts_with = "files")]
    selectors: Vec<String>,
    /// What is installed: the name of a bundle, a version, or NAME@VERSION for one that no catalog has
    #[arg(long, value_name = "BUNDLE", conflicts_with = "files")]
    installed: Option<String>,
    /// The version that a first installation starts with (OLM v0)
    #[arg(long = "starting-csv", value_name = "NAME", conflicts_with_all = ["files", "installed"])]
    starting_csv: Option<String>,
    /// Whether the edges of the catalog count
    #[arg(long, default_value = "CatalogProvided", value_name = "POLICY", conflicts_with = "files",
          value_parser = ["CatalogProvided", "SelfCertified"])]
    policy: String,
    /// The priority of a catalog
    #[arg(long = "priority", value_name = "NAME=N", allow_hyphen_values = true, conflicts_with = "files")]
    priorities: Vec<String>,
    /// A label of a catalog; that of its name is there already
    #[arg(long = "label", value_name = "NAME=KEY=VALUE", conflicts_with = "files")]
    labels: Vec<String>,
    /// The release whose behavior applies
    #[arg(long, default_value = "latest", value_name = "TARGET", value_parser = Target::NAMES)]
    target: String,
    /// Take releases from the key `release`, as with the feature gate BundleReleaseSupport
    #[arg(long)]
    bundle_release_support: bool,
    /// The format to write; FORMAT=FILE writes to a file, and can be repeated [default: text]
    #[arg(short, long, alias = "format", value_parser = OutputParser::<ResolveFormat>::new(), value_name = "FORMAT[=FILE]")]
    output: Vec<OutputValue<ResolveFormat>>,
    /// Show every bundle that was looked at, and what removed it
    #[arg(long)]
    explain: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

impl Arguments {
    /// What is written where.
    fn destinations(&self) -> Vec<Destination<'_, ResolveFormat>> {
        OutputValue::destinations(&self.output, self.output_file.as_ref())
    }

    /// The package, and the catalogs behind it.
    fn package_and_catalogs(&self) -> (Option<&String>, &[String]) {
        match (&self.package, self.words.split_first()) {
            (None, Some((package, catalogs))) => (Some(package), catalogs),
            (package, _) => (package.as_ref(), &self.words),
        }
    }
}

/// The formats of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ResolveFormat {
    /// Sentences
    #[default]
    Text,
    /// One JSON object
    Json,
    /// One JSON object for each extension or namespace, a line each
    Jsonl,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let target: Target = arguments.target.parse().map_err(|error| Failure::new(format!("{error}")))?;
    if arguments.bundle_release_support && target <= Target::Ocp421 {
        return Err(Failure::new("OpenShift has no feature gate BundleReleaseSupport up to 4.21")
            .help("leave out --bundle-release-support or choose --target latest or ocp-5.0"));
    }
    if arguments.olm == Semantics::V0 {
        return v0::run(arguments, target, settings);
    }
    if arguments.starting_csv.is_some() {
        return Err(
            Failure::new("OLM v1 has no startingCSV").help("give `--version` for OLM v1, or `--olm v0`")
        );
    }
    let rules = Rules { target, bundle_release_support: arguments.bundle_release_support };
    let (package, more) = arguments.package_and_catalogs();
    let catalogs: Vec<&String> = arguments.catalogs.iter().chain(more).collect();
    let references = question::references(&catalogs, &arguments.files)?;
    let session = arguments.images.session(references.values(), settings);
    let (catalogs, references, extensions) = match package {
        Some(package) => {
            let catalogs = question::catalogs(&references, &arguments.priorities, &arguments.labels)?;
            (catalogs, references, vec![question::extension(&asked(arguments), package)?])
        }
        None => {
            let manifests = manifests::read(&arguments.files, arguments.olm.into(), target, settings)?;
            let references = with_images(&manifests, references)?;
            (manifests.catalogs, references, manifests.extensions)
        }
    };
    let only = if references.len() == 1 { references.values().next() } else { None };
    let loaded =
        load(catalogs, &references, rules, &session, settings).map_err(|failure| match (package, only) {
            (Some(package), Some(catalog)) => hint_if_swapped(
                failure.into(),
                catalog,
                package,
                &["resolve", &catalog.to_string_lossy(), package],
            ),
            _ => failure.into(),
        });
    let Some(catalogs) = loaded? else { return Ok(FINDINGS) };
    let resolver = Resolver::new(rules, catalogs).map_err(|error| Failure::new(error.to_string()))?;
    let extensions = match &arguments.installed {
        Some(installed) => question::with_installed(&resolver, extensions, installed)?,
        None => extensions,
    };
    answer_all(arguments, &resolver, &extensions, settings)
}

/// What the flags ask of a package.
fn asked(arguments: &Arguments) -> Question {
    Question {
        version: arguments.version.clone(),
        channels: arguments.channels.clone(),
        selectors: arguments.selectors.clone(),
        policy: arguments.policy.clone(),
    }
}

fn answer_all(
    arguments: &Arguments,
    resolver: &Resolver,
    extensions: &[Extension],
    settings: &Settings,
) -> Result<u8, Failure> {
    OutputValue::check(&arguments.output)?;
    let destinations = arguments.destinations();
    let explain = match destinations.iter().any(|one| one.format == ResolveFormat::Text) {
        _ if arguments.explain => Explain::Always,
        // Sentences say why even when nobody asks.
        true => Explain::Errors,
        false => Explain::Never,
    };
    let answers: Vec<Answer<'_>> =
        extensions.par_iter().map(|extension| Answer::to(resolver, extension, explain)).collect();
    for Destination { format, file } in destinations {
        let color = file.is_none() && terminal::stdout_has_color();
        let style = answer::Style { tree: arguments.explain, color };
        write_output(settings, file, |out| {
            let written = match format {
                ResolveFormat::Text => answer::write_text(&answers, style, &mut terminal::text_to(out, file)),
                ResolveFormat::Json => answer::write_json(&answers, out),
                ResolveFormat::Jsonl => answer::write_jsonl(&answers, out),
            };
            Ok(written?)
        })?;
    }
    Ok(if answers.iter().all(Answer::is_resolved) { CLEAN } else { FINDINGS })
}
