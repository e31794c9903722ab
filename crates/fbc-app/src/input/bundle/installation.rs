//! A bundle read and rendered, and the configuration that an installation of it has.

use std::path::Path;

use fbc_bundle::manifests::{Bundle, Configuration, Installation, Object, ReadError, render};
use fbc_model::tree::read_file;
use fbc_source::{CatalogSource, Error, ErrorKind, Session};
use fbc_yaml::stream::{self, Fault};

use super::open;
use crate::invalid_value::InvalidValue;

/// The name of a namespace.
pub fn namespace(text: &str) -> Result<String, InvalidValue> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    let is_label = bytes.iter().all(|&byte| is_plain(byte) || byte == b'-')
        && ends.iter().all(|end| end.is_some_and(|&byte| is_plain(byte)));
    match text.len() {
        0 => Err("a namespace has a name".into()),
        64.. => Err("the name of a namespace has at most 63 characters".into()),
        _ if is_label => Ok(text.to_owned()),
        _ => {
            Err("the name of a namespace has lower-case letters, digits and `-`, with a letter or digit at \
                  both ends"
                .into())
        }
    }
}

/// Reads the inline configuration of an extension.
///
/// # Errors
/// If it cannot be read, or is not one document.
pub fn configuration(path: &Path) -> Result<Configuration, Error> {
    let bytes = read_file(path).map_err(|error| Error::io("read", path, &error))?;
    let mut documents = stream::read(&bytes, &|document| Ok::<_, ()>(document)).into_iter();
    let shown = path.display();
    let document = match documents.next().map(|first| first.outcome) {
        None => {
            return Err(Error::new(format!("{shown} is empty")).help("an empty configuration is written {}"));
        }
        Some(Ok(document)) => document,
        Some(Err(Fault::Malformed { message, .. })) => {
            return Err(Error::new(format!("{shown}: {message}")));
        }
        Some(Err(_)) => return Err(Error::new(format!("{shown} is neither YAML nor JSON"))),
    };
    if documents.next().is_some() {
        return Err(Error::new(format!("{shown} holds several documents"))
            .help("a configuration is one document: what stands under spec.config.inline"));
    }
    Ok(Configuration::new(document))
}

/// Reads a bundle.
pub fn read(reference: &Path, session: &Session) -> Result<Bundle, Error> {
    read_from(&open(reference, session)?, reference)
}

/// Reads a bundle of which the files were opened.
pub fn read_from(source: &CatalogSource, reference: &Path) -> Result<Bundle, Error> {
    Bundle::read(source.tree.as_ref()).map_err(|error| unreadable(reference, &error))
}

/// Renders a bundle that was read from a directory.
pub fn objects(bundle: &Bundle, folder: &Path, installation: &Installation) -> Result<Vec<Object>, Error> {
    render(bundle, installation).map_err(|refusal| {
        // The reasons stand at the beginning of lines, as operator-controller puts them.
        let shown = folder.display();
        let failure =
            Error::of_lines(&format!("{shown}: operator-controller refuses this bundle:\n{refusal}"))
                .of_kind(ErrorKind::Refused);
        let modes = bundle.operator().install_modes();
        let is_asked_for = !installation.watch_namespaces.is_empty() || installation.configuration.is_some();
        let watches_some = modes.contains("OwnNamespace") || modes.contains("SingleNamespace");
        if !is_asked_for && !modes.contains("AllNamespaces") && watches_some {
            return failure
                .help("this operator cannot watch all namespaces; name one with --watch-namespace");
        }
        if !["target namespace", "install mode"].iter().any(|words| refusal.to_string().contains(words)) {
            if installation.configuration.is_some() {
                return failure.help("correct the file that --config names, or leave --config out");
            }
            return failure.help("`fbc bundle ready` says on which releases a bundle installs, and what keeps it from the others");
        }
        let supported: Vec<&str> = modes.iter().map(AsRef::as_ref).collect();
        failure.help(format!(
            "the bundle supports {}; --watch-namespace says what to watch, without it all namespaces",
            if supported.is_empty() { "no install mode".to_owned() } else { supported.join(", ") }
        ))
    })
}

fn unreadable(folder: &Path, error: &ReadError) -> Error {
    let failure = Error::new(format!("{}: {}", folder.join(&error.path).display(), error.message));
    match error.pointer.as_str() {
        "" if error.message.starts_with("open ") => {
            failure.help("a bundle is a directory that holds manifests and metadata/annotations.yaml")
        }
        "" => failure,
        pointer => failure.help(format!("the value at {pointer} has another type in the Kubernetes API")),
    }
}
