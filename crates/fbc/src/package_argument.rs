//! The package that a command is about: by its place on the line, or by `-p` as in commands that take several.

use std::path::Path;

use clap::Args;
use fbc_app::shell::quoted;

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

/// Adds to the failure of a catalog that does not exist that it may be the package, and the package the catalog, if that
/// one exists on disk. `right` are the words of the command line as it would be then.
pub(crate) fn hint_if_swapped(failure: Failure, reference: &Path, package: &str, right: &[&str]) -> Failure {
    let is_image = reference.to_str().is_some_and(|text| text.contains(['/', ':', '@']));
    if reference.as_os_str() == "-" || is_image || reference.exists() || !Path::new(package).exists() {
        return failure;
    }
    let right: Vec<String> = right.iter().map(|word| quoted(word)).collect();
    failure.help(format!("if {package} is the catalog: `fbc {}`", right.join(" ")))
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
