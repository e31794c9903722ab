//! `fbc template`: catalogs from templates, and templates from catalogs.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fbc_bundle::{BundleFolder, ImageTemplate};
use fbc_graph::mermaid::{MermaidOptions, draw};
use fbc_lint::Profile;
use fbc_model::render::MigrateLevel;
use fbc_model::tree::{DiskTree, MemoryTree, read_file};
use fbc_model::{Bundle, Catalog, writer};
use fbc_template::{BundleSource, ConversionTarget, Renderer, TemplateError, TemplateKind};
use fbc_yaml::locate::line_and_column;
use fbc_yaml::stream;

use super::render::{OutputFormat, write};
use crate::failure::{CLEAN, Failure};
use crate::output_file::write_output;

/// Make catalogs from templates
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Render(RenderArguments),
    Convert(ConvertArguments),
}

/// Render a template to a catalog
///
/// Bundles come from folders: the image map says which folder stands for which image, so that nothing is
/// pulled.
#[derive(Args, Debug)]
struct RenderArguments {
    /// The type of the template (basic, semver, substitutes, raw), if it is not to be found from its
    /// schema; then the file, or `-` for standard input
    #[arg(value_name = "[TYPE] FILE", required = true, num_args = 1..=2, value_hint = ValueHint::FilePath)]
    template: Vec<PathBuf>,
    /// A YAML or JSON file that maps image references to bundle folders, relative to the working directory
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    image_map: Option<PathBuf>,
    /// The format to write
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: TemplateOutput,
    /// Bring bundles up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    migrate_level: Option<MigrateLevel>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
}

/// Turn a catalog into a template
#[derive(Args, Debug)]
struct ConvertArguments {
    /// The type of template
    #[arg(value_name = "TYPE", value_enum)]
    target: Target,
    /// The catalog: a file, or `-` for standard input
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    catalog: PathBuf,
    /// The format to write
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: OutputFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TemplateOutput {
    /// Indented JSON documents, one after another
    #[default]
    Json,
    /// YAML documents
    Yaml,
    /// The upgrade graph as the text of a mermaid flow chart
    Mermaid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Bundles as images, everything else as it is
    Basic,
    /// The catalog, and an empty list of substitutions
    Substitutes,
}

fn levels() -> impl clap::builder::TypedValueParser<Value = MigrateLevel> {
    PossibleValuesParser::new(MigrateLevel::NAMES)
        .map(|name| MigrateLevel::from_name(&name).unwrap_or_default())
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.command {
        Command::Render(arguments) => render(arguments),
        Command::Convert(arguments) => convert(arguments),
    }
}

fn render(arguments: &RenderArguments) -> Result<u8, Failure> {
    let (name, path) = match arguments.template.as_slice() {
        [name, path] => (Some(name), path.as_path()),
        // As in opm: a type alone reads standard input.
        [only] if kind_of(only).is_some() => (Some(only), Path::new("-")),
        [only] => (None, only.as_path()),
        _ => return Err(Failure::new("a template needs at most a type and a file")),
    };
    let text = read(path)?;
    let failure = |error: TemplateError| refusal(path, &text, &error);
    let kind = match name {
        Some(name) => kind_of(name).ok_or_else(|| unknown_kind(name))?,
        None => fbc_template::detect(&text).map_err(failure)?,
    };
    let source = ImageMap::read(arguments.image_map.as_deref())?;
    let renderer = Renderer {
        source: &source,
        validate: &opm_error,
        migrate: arguments.migrate_level.unwrap_or_default(),
    };
    let catalog = fbc_template::render(kind, &text, &renderer).map_err(failure)?;
    let mut err = anstream::stderr().lock();
    for advice in fbc_template::lint_expansion(kind, &text, &catalog) {
        // Advice is not worth failing for.
        let _ = writeln!(err, "warning: {}", advice.message());
    }
    write_output(arguments.output_file.as_deref(), |out| match arguments.output {
        TemplateOutput::Json => write(&catalog, writer::Format::Json, out),
        TemplateOutput::Yaml => write(&catalog, writer::Format::Yaml, out),
        TemplateOutput::Mermaid => {
            let options = MermaidOptions { draw_v0_semantics: true, ..MermaidOptions::default() };
            let chart = draw(&catalog, &options).map_err(|error| Failure::refusal(error.to_string()))?;
            Ok(out.write_all(chart.text.as_bytes())?)
        }
    })?;
    Ok(CLEAN)
}

fn convert(arguments: &ConvertArguments) -> Result<u8, Failure> {
    let text = read(&arguments.catalog)?;
    let target = match arguments.target {
        Target::Basic => ConversionTarget::Basic,
        Target::Substitutes => ConversionTarget::Substitutes,
    };
    let converted = fbc_template::convert(target, &text, arguments.output.into())
        .map_err(|error| refusal(&arguments.catalog, &text, &error))?;
    write_output(None, |out| Ok(out.write_all(converted.as_bytes())?))?;
    Ok(CLEAN)
}

fn kind_of(name: &Path) -> Option<TemplateKind> {
    name.to_str().and_then(|name| TemplateKind::from_name(name).ok())
}

fn unknown_kind(name: &Path) -> Failure {
    Failure::new(format!("there is no template type {:?}", name.display().to_string()))
        .help("the types are basic, semver, substitutes and raw; without one it is found from the schema")
}

/// What opm objects to in a catalog.
fn opm_error(catalog: &Catalog) -> Result<(), String> {
    fbc_lint::lint(catalog, &MemoryTree::default(), Profile::Opm).opm_error.map_or(Ok(()), Err)
}

/// A template that is refused: where, and why.
fn refusal(path: &Path, text: &[u8], error: &TemplateError) -> Failure {
    let shown =
        if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
    let place = match &error.place {
        Some(place) => {
            let (line, column) = line_and_column(text, place.bytes.start);
            format!("{shown}:{line}:{column}")
        }
        None => shown,
    };
    let failure = Failure::refusal(format!("{place}: {error}"));
    match error.help() {
        Some(help) => failure.help(help),
        None => failure,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    read_file(path).map_err(|error| Failure::io("read", path, &error))
}

/// Bundle folders that stand for images.
#[derive(Default)]
struct ImageMap(BTreeMap<String, PathBuf>);

impl ImageMap {
    fn read(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::default()) };
        let invalid = |text: String| {
            Failure::new(format!("{}: {text}", path.display()))
                .help("an image map is a YAML mapping: image reference to bundle folder")
        };
        let document = stream::read_one(&read(path)?).map_err(invalid)?;
        let mut map = BTreeMap::new();
        for (reference, folder) in document.root().members() {
            let folder =
                folder.as_str().ok_or_else(|| invalid(format!("{reference:?} maps to no folder")))?;
            map.insert(reference.to_owned(), PathBuf::from(folder));
        }
        if map.is_empty() {
            return Err(invalid("it maps nothing".to_owned()));
        }
        Ok(Self(map))
    }
}

impl BundleSource for ImageMap {
    fn bundle(&self, reference: &str) -> Result<Bundle, String> {
        // A folder may be named in place of an image.
        let as_folder = Path::new(reference);
        let root = match self.0.get(reference) {
            Some(folder) => folder.clone(),
            None if as_folder.is_dir() => as_folder.to_path_buf(),
            None => return Err("it is not in the image map, and fbc does not pull images so far".to_owned()),
        };
        let in_folder = |error: String| format!("{}: {error}", root.display());
        let tree = DiskTree { root: root.clone() };
        let folder = BundleFolder::read(&tree).map_err(|error| in_folder(error.to_string()))?;
        // Without fields a template is the reference itself.
        let image = ImageTemplate::parse(reference).map_err(|error| in_folder(error.to_string()))?;
        fbc_bundle::render::render(&folder, Some(&image)).map_err(|error| in_folder(error.to_string()))
    }
}
