//! What goes wrong with registries, and what to do about it.

use std::io;

use fbc_image::registry::{Problem, RegistryError};

use crate::error::{Error, ErrorKind};

impl From<Box<RegistryError>> for Error {
    fn from(error: Box<RegistryError>) -> Self {
        let RegistryError { action, place, problem } = *error;
        let problem = match problem {
            Problem::Local(image) => return Self::from(*image).within(&place),
            problem => problem,
        };
        let error = RegistryError { action, place, problem };
        let kind = if is_refusal(&error.problem) { ErrorKind::Refused } else { ErrorKind::Registry };
        let made = Self::new(error.to_string()).of_kind(kind);
        let made = match (error.advice(), &error.problem) {
            (Some(advice), _) => made.help(advice),
            (None, Problem::Io(system)) if system.kind() == io::ErrorKind::StorageFull => made
                .help("free some space on that disk, and run the command again: it goes on where it stopped"),
            (None, Problem::Io(system)) if system.kind() == io::ErrorKind::PermissionDenied => {
                made.help("permission denied; check the permissions of the path")
            }
            (None, _) => made,
        };
        made.because(error)
    }
}

/// Whether content is refused, rather than that it could not be pulled.
fn is_refusal(problem: &Problem) -> bool {
    match problem {
        Problem::Digest { .. } | Problem::Length { .. } => true,
        Problem::Manifest(_) | Problem::Algorithm(_) | Problem::Policy(_) => true,
        Problem::Endpoints(errors) => errors.last().is_some_and(|error| is_refusal(&error.problem)),
        _ => false,
    }
}
