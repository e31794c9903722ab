//! Keys on disk, and passphrases.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fbc_signature::{KeyError, PrivateKey, PublicKey};
use fbc_source::Error;
use fbc_staging::{Root, StagedFile, parent_of};
use ring::rand::SystemRandom;

use crate::input;
use crate::settings::Settings;

/// The variable that cosign reads, and so does [`crate::settings::Host::passphrase`].
pub const PASSPHRASE: &str = "COSIGN_PASSWORD";

/// The passphrase that a file holds, else the environment; none if neither says one.
fn passphrase(file: Option<&Path>, settings: &Settings) -> Result<Option<Vec<u8>>, Error> {
    let Some(path) = file else {
        return Ok(settings.host.passphrase());
    };
    let mut bytes = input::file::read(path, settings)?;
    // Editors and `echo` end files with a line break, which nobody means.
    let end = [&b"\r\n"[..], b"\n"].into_iter().find(|end| bytes.ends_with(end)).map_or(0, <[u8]>::len);
    bytes.truncate(bytes.len() - end);
    Ok(Some(bytes))
}

/// Reads a private key.
pub fn private(
    path: &Path,
    passphrase_file: Option<&Path>,
    settings: &Settings,
) -> Result<PrivateKey, Error> {
    let text = input::file::read(path, settings)?;
    let passphrase = passphrase(passphrase_file, settings)?;
    PrivateKey::read(&text, passphrase.as_deref(), &SystemRandom::new())
        .map_err(|error| failure(path, &error))
}

/// Reads a public key.
pub fn public(path: &Path, settings: &Settings) -> Result<PublicKey, Error> {
    let text = input::file::read(path, settings)?;
    PublicKey::read(&text).map_err(|error| failure(path, &error))
}

/// Writes a new key to `PREFIX.key`, for the owner alone, and `PREFIX.pub`. Keys that are there are not replaced.
pub fn generate(
    prefix: &str,
    passphrase_file: Option<&Path>,
    settings: &Settings,
) -> Result<[PathBuf; 2], Error> {
    let paths = ["key", "pub"].map(|extension| PathBuf::from(format!("{prefix}.{extension}")));
    if let Some(taken) = paths.iter().find(|path| fs::symlink_metadata(path).is_ok()) {
        return Err(Error::new(format!("{} exists already", taken.display()))
            .help("name another prefix; a key that is lost cannot be brought back"));
    }
    let passphrase = passphrase(passphrase_file, settings)?.ok_or_else(no_passphrase)?;
    let (private, public) = PrivateKey::generate(&passphrase, &SystemRandom::new())
        .map_err(|error| Error::new(error.to_string()))?;
    let [private_path, public_path] = &paths;
    let private = stage(private_path, StagedFile::private(parent_of(private_path)), &private)?;
    let public = stage(public_path, StagedFile::beside(public_path), &public)?;
    // Who finds the private key finds the public one, too.
    publish(public, public_path)?;
    publish(private, private_path).inspect_err(|_| {
        // Alone it is of no use; that it cannot be removed changes nothing.
        let name = public_path.file_name().map(Path::new).unwrap_or(public_path);
        let _ = Root::open(parent_of(public_path)).and_then(|root| root.remove_file(name));
    })?;
    Ok(paths)
}

/// Writes a file under a temporary name.
fn stage(path: &Path, staged: std::io::Result<StagedFile>, text: &str) -> Result<StagedFile, Error> {
    let failed = |error| Error::io("write", path, &error);
    let mut file = staged.map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    Ok(file)
}

/// Gives a file its name, which nothing has yet.
fn publish(file: StagedFile, path: &Path) -> Result<(), Error> {
    file.publish_new(path).map(drop).map_err(|error| Error::io("write", path, &error))
}

fn no_passphrase() -> Error {
    Error::new("there is no passphrase for the key")
        .help(format!("set {PASSPHRASE}, which may be empty, or name a file with --passphrase-file"))
}

fn failure(path: &Path, error: &KeyError) -> Error {
    let failure = Error::new(format!("{}: {error}", path.display()));
    match error {
        KeyError::NoPassphrase => no_passphrase().within(&path.display().to_string()),
        KeyError::Kind(kind, wanted) if wanted.contains("public") && kind.contains("PRIVATE") => failure
            .help("a public key is wanted: the file that ends in .pub, or what `fbc sign --key FILE --public-key` prints"),
        KeyError::Unsupported | KeyError::Kind(..) | KeyError::Pem => {
            failure.help("`fbc sign --generate-key PREFIX` makes a key")
        }
        KeyError::Passphrase => {
            failure.help(format!("the passphrase comes from --passphrase-file, else from {PASSPHRASE}"))
        }
        _ => failure,
    }
}
