//! What goes wrong with registries, and what to do about it.

use std::path::Path;

use fbc_registry::{Problem, RegistryError};

use crate::error::{Error, ErrorKind};

impl From<Box<RegistryError>> for Error {
    fn from(error: Box<RegistryError>) -> Self {
        let RegistryError { action, place, problem } = *error;
        let problem = match problem {
            Problem::Local(image) => return Self::from(*image).within(&place),
            problem => problem,
        };
        let error = RegistryError { action, place, problem };
        if let Problem::Io(system) = &error.problem {
            let made = Self::io(&error.action, Path::new(&error.place), system);
            return made.because(error);
        }
        let kind = if is_refusal(&error.problem) { ErrorKind::Refused } else { ErrorKind::Registry };
        let made = Self::new(error.to_string()).of_kind(kind);
        let made = match error.advice() {
            Some(advice) => made.help(advice),
            None => made,
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
