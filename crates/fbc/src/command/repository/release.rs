//! `fbc repository release`: a bundle goes into the templates and catalogs that its `release-config.yaml` names.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::catalog_release::{Order, Released, release};
use fbc_app::output::file::edit_files;
use fbc_template::OpmSemantics;
use similar::TextDiff;

use crate::failure::{CLEAN, Failure};
use crate::image_map::ImageMapArguments;
use crate::output::file::report_written;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Release a bundle to the templates and catalogs that its release-config.yaml names
///
/// Does to a repository of operators what the pipelines of community-operators do: the templates in `catalog-templates`
/// get the bundle, in the channels and with the edges that release-config.yaml says, and the catalogs that ci.yaml maps
/// them to are expanded again. Comments in templates stay. Either all files are written or none.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The directory of the bundle, such as operators/beacon/1.2.0
    #[arg(value_name = "BUNDLE", value_hint = ValueHint::DirPath)]
    bundle: PathBuf,
    /// The image that the bundle is released as
    #[arg(long, value_name = "IMAGE")]
    image: String,
    /// Write nothing; show what would change as a diff
    #[arg(long)]
    dry_run: bool,
    /// Expand semver templates as this version of opm, such as v1.47
    #[arg(long, value_name = "VERSION", default_value = "latest", value_parser = OpmSemantics::parse)]
    opm_semantics: OpmSemantics,
    #[command(flatten)]
    image_map: ImageMapArguments,
    #[command(flatten)]
    images: ImageArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = || arguments.images.session_for_files(settings);
    let order =
        Order { directory: &arguments.bundle, image: &arguments.image, semantics: arguments.opm_semantics };
    let images = || arguments.image_map.read();
    let Released { root, bundle, files } = release(&order, &session, &images, settings)?;
    if arguments.dry_run {
        return show(&files);
    }
    edit_files(&root, settings, files.iter().map(|(path, bytes)| (path.as_path(), Some(bytes.as_slice()))))?;
    if !settings.quiet {
        files.keys().for_each(|path| report_written(path, settings));
        if files.is_empty() {
            terminal::tell(format_args!("{} is released already; nothing is written", bundle));
        }
    }
    Ok(CLEAN)
}

/// Shows what would change.
fn show(files: &BTreeMap<PathBuf, Vec<u8>>) -> Result<u8, Failure> {
    let mut stdout = terminal::stdout();
    {
        let mut out = terminal::text_to(&mut stdout, None);
        for (path, new) in files {
            let old = fs::read(path).unwrap_or_default();
            let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(new));
            let shown = path.display().to_string();
            let diff = TextDiff::from_lines(old.as_ref(), new.as_ref());
            let unified = diff.unified_diff().header(&shown, &shown).to_string();
            unified.lines().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    stdout.flush()?;
    Ok(CLEAN)
}
