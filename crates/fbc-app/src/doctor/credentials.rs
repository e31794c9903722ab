//! Credentials: which files hold some, for which registries, and who else may read them.

use std::path::Path;

use fbc_registry::credentials::CredentialPaths;
use fbc_registry::credentials::inventory::{CredentialFile, CredentialForm, StoredCredential, inventory};
use fbc_source::Error;

use super::item::Item;

pub(super) fn items(paths: &CredentialPaths) -> Vec<Item> {
    let files = inventory(paths);
    let looked: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
    let items: Vec<Item> = files.into_iter().flat_map(of_file).collect();
    if !items.is_empty() {
        return items;
    }
    let looked =
        if looked.is_empty() { "nowhere, since HOME is not set".to_owned() } else { looked.join(", ") };
    vec![Item::note(format!(
        "none: only public images can be pulled; `podman login` or `docker login` write some (looked in {looked})"
    ))]
}

fn of_file(file: CredentialFile) -> Vec<Item> {
    let CredentialFile { path, content } = file;
    let stored = match content {
        Ok(Some(stored)) => stored,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![Item::from(Error::from(error))],
    };
    let mut items = Vec::new();
    let usable: Vec<String> = stored.iter().filter_map(usable).collect();
    let name = path.display();
    items.push(match usable.as_slice() {
        [] => Item::note(format!("{name} holds no credentials")),
        usable => Item::good(format!("{name}: {}", usable.join(", "))),
    });
    items.extend(stored.iter().filter_map(|stored| broken(&path, stored)));
    if is_readable_by_others(&path) {
        items.push(Item::warning(
            format!("{name} can be read by other users of this machine"),
            format!("chmod 600 {name}"),
        ));
    }
    items
}

fn usable(stored: &StoredCredential) -> Option<String> {
    let scope = &stored.scope;
    match &stored.form {
        CredentialForm::Password => Some(scope.clone()),
        CredentialForm::Token => Some(format!("{scope} (token)")),
        CredentialForm::Helper { program, found: Some(_) } => Some(format!("{scope} (by {program})")),
        CredentialForm::Helper { found: None, .. } | CredentialForm::Empty | CredentialForm::Broken(_) => {
            None
        }
    }
}

fn broken(path: &Path, stored: &StoredCredential) -> Option<Item> {
    let (scope, file) = (&stored.scope, path.display());
    match &stored.form {
        CredentialForm::Helper { program, found: None } => Some(Item::error(
            format!("{program}, which {file} names for {scope}, is not in PATH"),
            "install it, or remove it from the file and log in again",
        )),
        CredentialForm::Broken(reason) => Some(Item::error(
            format!("the entry {scope:?} of {file} {reason}"),
            format!("log in again: `podman login --authfile {file} {scope}`"),
        )),
        _ => None,
    }
}

fn is_readable_by_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata(path).is_ok_and(|metadata| metadata.mode() & 0o044 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}
