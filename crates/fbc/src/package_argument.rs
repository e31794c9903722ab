//! The package that a command is about: by its place on the line, or by `-p` as in commands that take several.

use std::path::Path;

use clap::Args;

use crate::failure::Failure;

/// The package; a command line without it is wrong.
#[derive(Args, Debug)]
pub(crate) struct PackageArgument {
    /// The package
    #[arg(value_name = "PACKAGE", required_unless_present = "package_flag")]
    package: Option<String>,
    /// The package
    #[arg(short = 'p', long = "package", value_name = "PACKAGE", conflicts_with = "package", help_heading = None::<&str>)]
    package_flag: Option<String>,
}

impl PackageArgument {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.package.as_deref().or(self.package_flag.as_deref()).unwrap_or_default()
    }
}

/// Refuses a catalog and a package that stand in each other's place, which is plain where only the package exists on disk.
/// `right` is the command line as it should be.
pub(crate) fn refuse_swapped(reference: &Path, package: &str, right: &str) -> Result<(), Failure> {
    let is_bare_name = reference.to_str().is_some_and(|name| !name.contains(['/', ':', '\\']));
    if !is_bare_name || reference.exists() || !Path::new(package).exists() {
        return Ok(());
    }
    let shown = reference.display();
    Err(Failure::new(format!("{package:?} is taken for the package, and there is no catalog {shown:?}"))
        .help(format!("the other way round: `{right}`")))
}

/// The package, if only one is meant.
#[derive(Args, Debug)]
pub(crate) struct PackageFilter {
    /// Only those of this package
    #[arg(help_heading = None::<&str>, value_name = "PACKAGE")]
    package: Option<String>,
    /// Only those of this package
    #[arg(short = 'p', long = "package", value_name = "PACKAGE", conflicts_with = "package", help_heading = None::<&str>)]
    package_flag: Option<String>,
}

impl PackageFilter {
    /// Its name.
    pub(crate) fn name(&self) -> Option<&str> {
        self.package.as_deref().or(self.package_flag.as_deref())
    }
}
