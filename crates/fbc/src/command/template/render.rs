//! `fbc template render`: a catalog from a template.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::checked::CheckedCatalog;
use fbc_app::configuration::{Configuration, PolicyChoice};
use fbc_graph::mermaid::{MermaidOptions, draw};
use fbc_model::Catalog;
use fbc_model::render::MigrateLevel;
use fbc_model::tree::MemoryTree;
use fbc_model::writer::Format;
use fbc_repository::matrix::migrate_level;
use fbc_source::CatalogSource;
use fbc_source::confinement::confining_directory;
use fbc_source::expansion;
use fbc_source::template_bundles::{TemplateBundles, TemplateFolders};
use fbc_source::template_error::{opm_error, refusal};
use fbc_template::{OpmSemantics, Renderer, TemplateError, TemplateKind};
use fbc_version::OpenShiftRelease;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::image_map::ImageMapArguments;
use crate::input::file::read_or_standard_input;
use crate::output::catalog::{FORMAT_HELP, OutputFormat, levels, write};
use crate::output::file::write_output;
use crate::policy_arguments::ocp_version;
use crate::registry::ImageArguments;
use crate::report::advise_on_stderr;
use crate::settings::Settings;

/// Render a template to a catalog
///
/// Bundles come from their images, or from directories: a template names them itself, or the image map says which directory
/// is used for which image.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The type of the template (basic, semver, substitutes, raw), if it is not to be found from its
    /// schema; then the file, or `-` for standard input
    #[arg(value_name = "[TYPE] FILE", required = true, value_hint = ValueHint::FilePath)]
    template: Vec<PathBuf>,
    #[command(flatten)]
    image_map: ImageMapArguments,
    #[arg(short, long, alias = "format", value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    output: Option<TemplateOutput>,
    /// Bring bundles up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    migrate_level: Option<MigrateLevel>,
    /// Bring bundles up to the level that this version of OpenShift wants: `olm.csv.metadata` from 4.17 on
    #[arg(long, value_name = "VERSION", value_parser = ocp_version, conflicts_with = "migrate_level")]
    ocp: Option<OpenShiftRelease>,
    /// Expand semver templates as this version of opm, such as v1.47
    #[arg(long, value_name = "VERSION", default_value = "latest", value_parser = OpmSemantics::parse)]
    opm_semantics: OpmSemantics,
    /// Exit with 1 if there are warnings, too
    #[arg(long)]
    deny_warnings: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TemplateOutput {
    /// Indented JSON documents, one after another
    Json,
    /// YAML documents
    Yaml,
    /// The upgrade graph as the text of a mermaid flow chart
    Mermaid,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session_for_files(settings)?;
    let (name, path) = match arguments.template.as_slice() {
        [name, path] => (Some(name), path.as_path()),
        // As in opm: a type alone reads standard input.
        [only] if kind_of(only).is_some() => (Some(only), Path::new("-")),
        [only] => (None, only.as_path()),
        _ => return Err(one_at_a_time()),
    };
    let named = match name {
        Some(name) if name.exists() && kind_of(name).is_none() => return Err(one_at_a_time()),
        Some(name) => Some(kind_of(name).ok_or_else(|| unknown_kind(name))?),
        None => None,
    };
    let text = read_or_standard_input(path)?;
    let failure = |error: TemplateError| refusal(path, &text, &error);
    let kind = match named {
        Some(kind) => kind,
        None => expansion::required_kind(path, &text)?,
    };
    let images = arguments.image_map.read()?;
    let reach = confining_directory(path.parent().unwrap_or(Path::new("")));
    let renderer = Renderer {
        source: &TemplateBundles {
            images: &images,
            folders: TemplateFolders::Within(&reach),
            session: &session,
        },
        validate: &opm_error,
        migrate: match arguments.ocp {
            Some(release) => migrate_level(Some(release)),
            None => arguments.migrate_level.unwrap_or_default(),
        },
        semantics: arguments.opm_semantics,
    };
    let catalog = fbc_template::render(kind, &text, &renderer).map_err(failure)?;
    let has_advice = advise(kind, path, &text, &catalog, settings)?;
    let file = arguments.output_file.as_deref();
    write_output(settings, file, |out| match arguments.output {
        None => write(&catalog, OutputFormat::of(None, file).into(), out, settings),
        Some(TemplateOutput::Json) => write(&catalog, Format::Json, out, settings),
        Some(TemplateOutput::Yaml) => write(&catalog, Format::Yaml, out, settings),
        Some(TemplateOutput::Mermaid) => {
            let options = MermaidOptions { draw_v0_semantics: true, ..MermaidOptions::default() };
            let chart = draw(&catalog, &options).map_err(|error| Failure::refusal(error.to_string()))?;
            Ok(out.write_all(chart.text.as_bytes())?)
        }
    })?;
    Ok(if has_advice && arguments.deny_warnings { FINDINGS } else { CLEAN })
}

/// Tells on standard error what in the expansion the author may not have meant; whether there is something.
fn advise(
    kind: TemplateKind,
    path: &Path,
    text: &[u8],
    expansion: &Catalog,
    settings: &Settings,
) -> Result<bool, Failure> {
    let configuration = Configuration::resolve(&PolicyChoice::default(), &[path.to_path_buf()], settings)?;
    let name = path.file_name().map_or(Path::new("-"), Path::new);
    let tree: MemoryTree = [(name, text)].into_iter().collect();
    let report = fbc_rules::lint_template(kind, (&tree, name), text, expansion, configuration.policy());
    let (reference, source) = (path.to_path_buf(), CatalogSource::of_file(Box::new(tree), path));
    let checked = CheckedCatalog { reference, source, report, files: 1, packages: 0, bundles: 0 };
    let has_advice = !checked.report.findings.is_empty();
    advise_on_stderr(&[checked])?;
    Ok(has_advice)
}

fn kind_of(name: &Path) -> Option<TemplateKind> {
    name.to_str().and_then(|name| TemplateKind::from_name(name).ok())
}

fn one_at_a_time() -> Failure {
    Failure::new("one template is rendered at a time")
        .help("call `fbc template render` for each; `fbc generate` renders those of a repository")
}

fn unknown_kind(name: &Path) -> Failure {
    Failure::new(format!("there is no template type {:?}", name.display().to_string()))
        .help("the types are basic, semver, substitutes and raw; without one it is found from the schema")
        .help("composite templates have a command of their own: `fbc template composite`")
}
