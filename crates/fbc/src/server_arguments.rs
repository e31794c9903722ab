//! The program that a catalog image runs: which one, and for which platform.

use clap::{Args, ValueHint};
use fbc_app::image_build::{Programs, ServeBinary};
use fbc_source::Error;

use fbc_app::invalid_value::InvalidValue;

/// What an image is to serve its catalog with.
#[derive(Args, Debug)]
pub(crate) struct ServerArguments {
    /// Make an image that serves its catalog, as CatalogSources of OLM v0 need it: with fbc as its entrypoint, on port
    /// 50051, and nothing else but the catalog [default: this fbc, if it runs without libraries]
    #[arg(long, conflicts_with = "bundle")]
    serve: bool,
    /// The program to serve with: fbc or opm, for Linux and linked statically unless a base has its libraries; one for
    /// each platform of the image
    #[arg(
        long,
        alias = "with-server",
        value_name = "[OS/ARCH=]PATH",
        value_hint = ValueHint::FilePath,
        value_parser = parse,
        conflicts_with = "bundle"
    )]
    serve_binary: Vec<ServeBinary>,
}

// A parser of clap returns a result.
#[allow(clippy::unnecessary_wraps)]
fn parse(text: &str) -> Result<ServeBinary, InvalidValue> {
    let named = text.split_once('=').and_then(|(platform, path)| Some((platform.parse().ok()?, path)));
    Ok(match named {
        Some((platform, path)) => ServeBinary { platform: Some(platform), path: path.into() },
        None => ServeBinary { platform: None, path: text.into() },
    })
}

impl ServerArguments {
    /// The programs that are meant.
    pub(crate) fn programs(&self) -> Programs {
        match (self.serve, self.serve_binary.is_empty()) {
            (_, false) => Programs::Named(self.serve_binary.clone()),
            (true, true) => Programs::This(
                std::env::current_exe()
                    .map_err(|error| Error::new(format!("this program cannot be found on disk: {error}"))),
            ),
            (false, true) => Programs::None,
        }
    }
}
