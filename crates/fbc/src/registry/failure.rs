//! What goes wrong with registries, as commands tell it.

use fbc_image::registry::{Problem, RegistryError};

use crate::failure::Failure;

impl From<Box<RegistryError>> for Failure {
    fn from(error: Box<RegistryError>) -> Self {
        let RegistryError { action, place, problem } = *error;
        let problem = match problem {
            Problem::Local(image) => return Self::from(*image).within(&place),
            problem => problem,
        };
        let error = RegistryError { action, place, problem };
        let failure = if is_refusal(&error.problem) {
            Self::refusal(error.to_string())
        } else {
            Self::new(error.to_string())
        };
        match (error.advice(), &error.problem) {
            (Some(advice), _) => failure.help(advice),
            (None, Problem::Io(system)) if system.kind() == std::io::ErrorKind::StorageFull => failure
                .help("free some space on that disk, and run the command again: it goes on where it stopped"),
            (None, Problem::Io(system)) if system.kind() == std::io::ErrorKind::PermissionDenied => {
                failure.help("permission denied; check the permissions of the path")
            }
            (None, _) => failure,
        }
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
