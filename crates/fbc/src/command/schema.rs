//! `fbc schema`: the JSON Schemas of blobs and properties.

use clap::Args;

use crate::failure::Failure;

/// Print a JSON Schema of a blob or property, or list them
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The schema, such as `olm.package`
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let _ = &arguments.name;
    Err(Failure::new("there are no schemas in this build"))
}
