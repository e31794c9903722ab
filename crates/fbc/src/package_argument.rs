//! The package that a command is about: by its place on the line, or by `-p` as in commands that take several.

use clap::Args;

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
