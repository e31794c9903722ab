//! The program that a catalog image runs: which one, and for which platform.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_image::build::{Server, ServerError};
use fbc_image::image::PlatformName;

use crate::failure::Failure;
use crate::invalid_value::InvalidValue;

/// What an image is to serve its catalog with.
#[derive(Args, Debug, Default)]
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

/// A program, and the platform that it is said to be for.
#[derive(Clone, Debug)]
struct ServeBinary {
    platform: Option<PlatformName>,
    path: PathBuf,
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
    /// The programs, one for each platform; none if the image is not to serve.
    pub(crate) fn servers(&self) -> Result<Vec<Server>, Failure> {
        if self.serve && self.serve_binary.is_empty() {
            return Ok(vec![itself()?]);
        }
        let mut servers: Vec<Server> = Vec::new();
        for binary in &self.serve_binary {
            let server = open(&binary.path)?;
            let shown = binary.path.display();
            if let Some(wanted) = binary.platform.as_ref().filter(|wanted| !wanted.accepts(&server.platform))
            {
                return Err(Failure::new(format!(
                    "{shown} is a program for {}, not for {wanted}",
                    server.platform
                )));
            }
            if let Some(other) = servers.iter().find(|other| other.platform == server.platform) {
                let other = other.path.display();
                return Err(Failure::new(format!("{other} and {shown} are both for {}", server.platform))
                    .help("an image has one program for each platform; leave one of them out"));
            }
            servers.push(server);
        }
        Ok(servers)
    }
}

/// The program that runs now.
fn itself() -> Result<Server, Failure> {
    let path = std::env::current_exe()
        .map_err(|error| Failure::new(format!("this program cannot be found on disk: {error}")))?;
    open(&path).map_err(|failure| {
        failure.help("name an fbc for Linux: `--serve-binary linux/amd64=PATH`; releases have them for musl")
    })
}

fn open(path: &Path) -> Result<Server, Failure> {
    Server::open(path).map_err(|error| match error {
        ServerError::Io(error) => Failure::io("read", path, &error),
        error => Failure::new(format!("{} {error}", path.display()))
            .help("name an fbc that was built for Linux, such as that of a release for musl"),
    })
}
