//! The program that a catalog image runs: which one, and for which platform.

use std::path::{Path, PathBuf};

use fbc_image::build::{Server, ServerError};
use fbc_image::image::PlatformName;
use fbc_source::Error;

use super::Programs;

/// A program, and the platform that it is said to be for.
#[derive(Clone, Debug)]
pub struct ServeBinary {
    /// The platform, if it is said.
    pub platform: Option<PlatformName>,
    /// Where it lies.
    pub path: PathBuf,
}

impl Programs {
    /// The programs, one for each platform; none if the image is not to serve.
    pub(super) fn open(&self) -> Result<Vec<Server>, Error> {
        let binaries = match self {
            Self::None => return Ok(Vec::new()),
            Self::This(path) => return Ok(vec![itself(path)?]),
            Self::Named(binaries) => binaries,
        };
        let mut servers: Vec<Server> = Vec::new();
        for binary in binaries {
            let server = open(&binary.path)?;
            let shown = binary.path.display();
            if let Some(wanted) = binary.platform.as_ref().filter(|wanted| !wanted.accepts(&server.platform))
            {
                return Err(Error::new(format!(
                    "{shown} is a program for {}, not for {wanted}",
                    server.platform
                )));
            }
            if let Some(other) = servers.iter().find(|other| other.platform == server.platform) {
                let other = other.path.display();
                return Err(Error::new(format!("{other} and {shown} are both for {}", server.platform))
                    .help("an image has one program for each platform; leave one of them out"));
            }
            servers.push(server);
        }
        Ok(servers)
    }
}

/// The program that runs now.
fn itself(path: &Result<PathBuf, Error>) -> Result<Server, Error> {
    let path = path.as_ref().map_err(Clone::clone)?;
    open(path).map_err(|failure| {
        failure.help("name an fbc for Linux: `--serve-binary linux/amd64=PATH`; releases have them for musl")
    })
}

fn open(path: &Path) -> Result<Server, Error> {
    Server::open(path).map_err(|error| match error {
        ServerError::Io(error) => Error::io("read", path, &error),
        error => Error::new(format!("{} {error}", path.display()))
            .help("name an fbc that was built for Linux, such as that of a release for musl"),
    })
}
