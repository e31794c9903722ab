//! `fbc init`: the first blob of a package, or the configuration of a repository.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::count::counted;
use fbc_app::layout::{find, repository_tree};
use fbc_app::output::file::{replace_files, root_for, write_new_file};
use fbc_app::repository_notes::{nothing, tell_notes};
use fbc_model::tree::read_file;
use fbc_model::{Catalog, Icon, Package};
use fbc_repository::CONFIGURATION;
use fbc_repository::declaration::declaration;
use fbc_repository::matrix::entries_of;

use crate::failure::{CLEAN, Failure};
use crate::output::catalog::{FORMAT_HELP, OutputFormat, write};
use crate::output::file::{report_written, write_output};
use crate::settings::Settings;
use crate::terminal;

/// Make the olm.package blob of a new package, or the fbc.toml of a repository
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The name of the package
    #[arg(
        value_name = "PACKAGE",
        required_unless_present = "repository",
        value_parser = clap::builder::NonEmptyStringValueParser::new()
    )]
    package: Option<String>,
    /// Write what `fbc repository` finds in this repository to its fbc.toml, as `[[catalogs]]`
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        default_missing_value = ".",
        value_hint = ValueHint::DirPath,
        conflicts_with_all = ["package", "default_channel", "description", "icon", "output", "output_file"]
    )]
    repository: Option<PathBuf>,
    /// The channel for subscriptions that do not name one
    #[arg(short = 'c', long, value_name = "CHANNEL")]
    default_channel: Option<String>,
    /// A file with the description, such as a README.md
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    description: Option<PathBuf>,
    /// A file with the icon: SVG, PNG, JPEG, GIF or WebP
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    icon: Option<PathBuf>,
    #[arg(short, long, alias = "format", value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    output: Option<OutputFormat>,
    /// Write to a new file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, requires = "output_file")]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if let Some(directory) = &arguments.repository {
        return declare(directory, settings);
    }
    let description = arguments.description.as_deref().map(description).transpose()?;
    let package = Package {
        name: arguments.package.clone().unwrap_or_default(),
        default_channel: arguments.default_channel.clone().unwrap_or_default(),
        description: description.unwrap_or_default(),
        icon: arguments.icon.as_deref().map(icon).transpose()?,
        ..Package::default()
    };
    let catalog = Catalog { packages: vec![package], ..Catalog::default() };
    let format = OutputFormat::of(arguments.output, arguments.output_file.as_deref()).into();
    match arguments.output_file.as_deref() {
        // A catalog may be in it.
        Some(path) if !arguments.force => {
            let mut bytes = Vec::new();
            write(&catalog, format, &mut bytes, settings)?;
            write_new_file(path, &bytes, "add --force to replace it, or name another file")?;
            report_written(path, settings);
        }
        path => write_output(settings, path, |out| write(&catalog, format, out, settings))?,
    }
    Ok(CLEAN)
}

/// `fbc init --repository`: writes what is found to `fbc.toml`, behind what it says already.
fn declare(directory: &Path, settings: &Settings) -> Result<u8, Failure> {
    let tree = repository_tree(directory, settings)?;
    let path = directory.join(CONFIGURATION);
    let old = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::io("read", &path, &error)),
    };
    if !entries_of(&old).is_empty() {
        return Err(Failure::refusal(format!("{} names its catalogs already", path.display()))
            .help("`fbc repository` shows them; remove `[[catalogs]]` to search for them again"));
    }
    let found = find(tree.as_ref())?;
    tell_notes(&found, settings);
    if found.catalogs.is_empty() {
        return Err(nothing(directory).into());
    }
    let gap = if old.is_empty() { "" } else { "\n" };
    let text = format!("{old}{gap}{}", declaration(tree.as_ref(), &found));
    replace_files(&root_for(directory, settings)?, [(Path::new(CONFIGURATION), Some(text.as_bytes()))])?;
    if !settings.quiet {
        let (entries, catalogs) = (entries_of(&text).len(), found.catalogs.len());
        terminal::tell(format_args!(
            "wrote {} with {} for {}",
            path.display(),
            counted(entries, "entry"),
            counted(catalogs, "catalog")
        ));
    }
    Ok(CLEAN)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_file(path).map_err(|error| Failure::io("read", path, &error))
}

fn description(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read(path)?).map_err(|_| {
        Failure::new(format!("{} is not text in UTF-8", path.display()))
            .help("a description is text, best in Markdown")
    })
}

fn icon(path: &Path) -> Result<Icon, Failure> {
    Icon::from_image(read(path)?).map_err(|error| {
        Failure::new(format!("{}: {error}", path.display()))
            .help("an icon is an SVG, PNG, JPEG, GIF or WebP image, the file itself and not its base64 text")
    })
}
