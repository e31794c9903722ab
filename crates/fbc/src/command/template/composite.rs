//! `fbc template composite`: one contribution, built into several catalogs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueHint};
use fbc_app::checked::opm_takes;
use fbc_app::composite::{found, require_inside_roots};
use fbc_app::output::file::{replace_files, root_for};
use fbc_model::Catalog;
use fbc_model::load::load_bytes;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_source::confinement::confining_directory;
use fbc_source::template_bundles::{TemplateBundles, TemplateFolders};
use fbc_source::template_error::{opm_error, refusal};
use fbc_source::{CatalogSource, Session};
use fbc_template::composite::{Catalogs, Input, Step, plan};
use fbc_template::{OpmSemantics, Renderer};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::image_map::ImageMapArguments;
use crate::input::file::read_or_standard_input;
use crate::output::catalog::{OutputFormat, levels, migration_failure, write};
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Build a contribution into several catalogs
///
/// The catalogs file says where each catalog lies and which builders it allows; the contribution file says
/// for each catalog what to build. Either all catalog files are written or none.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The contribution file, with the schema olm.composite
    #[arg(short = 'c', long, value_name = "FILE", default_value = "contributions.yaml", value_hint = ValueHint::FilePath)]
    composite_config: PathBuf,
    /// The catalogs file, with the schema olm.composite.catalogs
    #[arg(short = 'f', long, value_name = "FILE", default_value = "catalogs.yaml", value_hint = ValueHint::FilePath)]
    catalog_config: PathBuf,
    #[command(flatten)]
    image_map: ImageMapArguments,
    /// The format of the catalog files
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: OutputFormat,
    /// Bring bundles up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    migrate_level: Option<MigrateLevel>,
    /// Run the commands of custom builders, which may do anything
    #[arg(long)]
    allow_commands: bool,
    /// Write the catalog files even if opm would refuse the catalogs
    #[arg(long)]
    no_validate: bool,
    #[command(flatten)]
    images: ImageArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session_for_files(settings)?;
    let (catalogs_path, path) = (arguments.catalog_config.as_path(), arguments.composite_config.as_path());
    let text = read_or_standard_input(catalogs_path)?;
    let catalogs = Catalogs::parse(&text).map_err(|error| refusal(catalogs_path, &text, &error))?;
    let text = read_or_standard_input(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let plan = plan(&catalogs, &text, folder, arguments.output.into())
        .map_err(|error| refusal(path, &text, &error))?;
    let mut code = CLEAN;
    let mut tell = |failure: Failure| {
        code = code.max(failure.exit());
        failure.report();
    };
    for error in &plan.errors {
        tell(refusal(path, &text, error).into());
    }
    // By the directory that is validated: the files that are written into it.
    let mut written: BTreeMap<&Path, BTreeMap<PathBuf, Vec<u8>>> = BTreeMap::new();
    for step in &plan.steps {
        match require_inside_roots(step, folder)
            .map_err(Failure::from)
            .and_then(|()| build(step, arguments, &session, settings))
        {
            Ok(bytes) => {
                let below = step.output.strip_prefix(&step.directory).unwrap_or(&step.output);
                written.entry(&step.directory).or_default().insert(below.to_path_buf(), bytes);
            }
            Err(failure) => tell(failure.within(&format!("component {:?}", step.component))),
        }
    }
    if code != CLEAN {
        return Ok(code);
    }
    if !arguments.no_validate {
        let mut is_valid = true;
        for (directory, files) in &written {
            is_valid &= validate(directory, files, settings)?;
        }
        if !is_valid {
            Failure::refusal("opm would refuse the catalogs, so nothing is written")
                .help("fix the contribution, or give --no-validate to write it all the same")
                .report();
            return Ok(FINDINGS);
        }
    }
    let files: Vec<(PathBuf, &[u8])> = written
        .iter()
        .flat_map(|(directory, files)| {
            files.iter().map(|(file, bytes)| (directory.join(file), bytes.as_slice()))
        })
        .collect();
    let here = root_for(Path::new(""), settings)?;
    replace_files(&here, files.iter().map(|(path, bytes)| (path.as_path(), Some(*bytes))))?;
    Ok(CLEAN)
}

/// The text of the catalog file that a step builds.
fn build(
    step: &Step,
    arguments: &Arguments,
    session: &Session,
    settings: &Settings,
) -> Result<Vec<u8>, Failure> {
    let level = arguments.migrate_level.unwrap_or_default();
    let catalog = match &step.input {
        Input::Template { kind, paths } => {
            let path = found(paths);
            let text = read_or_standard_input(path)?;
            let images = arguments.image_map.read()?;
            let reach = confining_directory(path.parent().unwrap_or(Path::new("")));
            let renderer = Renderer {
                source: &TemplateBundles {
                    images: &images,
                    folders: TemplateFolders::Within(&reach),
                    session,
                },
                validate: &opm_error,
                migrate: level,
                // The opm that had composite templates is older than all rules that are known.
                semantics: OpmSemantics::default(),
            };
            fbc_template::render(*kind, &text, &renderer).map_err(|error| refusal(path, &text, &error))?
        }
        Input::Command { program, arguments: words } if arguments.allow_commands => {
            let mut catalog = output_of(program, words)?;
            prepare(&mut catalog, level).map_err(|error| migration_failure(&error))?;
            catalog
        }
        Input::Command { program, .. } => {
            return Err(Failure::refusal(format!(
                "its builder is the command {program:?}, which is not run"
            ))
            .help("look at what it does, then give --allow-commands"));
        }
    };
    let mut bytes = Vec::new();
    write(&catalog, step.format, &mut bytes, settings)?;
    Ok(bytes)
}

/// The catalog that a command prints.
fn output_of(program: &str, words: &[String]) -> Result<Catalog, Failure> {
    let output = Command::new(program).args(words).output().map_err(|error| {
        Failure::io("run", Path::new(program), &error)
            .help("the command of a custom builder must be on the PATH")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last =
            said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing on standard error");
        return Err(Failure::refusal(format!("{program:?} failed with {}: {last}", output.status)));
    }
    let catalog = load_bytes(Path::new("stdout"), &output.stdout);
    match catalog.faults.first() {
        Some(fault) => {
            Err(Failure::refusal(format!("what {program:?} prints is not a catalog: {}", fault.message)))
        }
        None => Ok(catalog),
    }
}

/// Whether opm takes a catalog with the new files in it. What it objects to is told on standard error.
fn validate(
    directory: &Path,
    files: &BTreeMap<PathBuf, Vec<u8>>,
    settings: &Settings,
) -> Result<bool, Failure> {
    let new = files.iter().map(|(path, bytes)| (path.clone(), Some(bytes.clone()))).collect();
    let old = CatalogSource::of_tree(settings.disk_tree(directory), directory);
    Ok(opm_takes(directory, old.overlaid(new), settings)?)
}
