//! Rights as files describe them.

use std::path::PathBuf;

use fbc_bundle::permissions::rbac_files;
use fbc_kubernetes::rbac::{Access, Account};
use fbc_model::closest::closest;
use fbc_model::tree::read_file;
use fbc_source::Error;

/// Where rights come from.
const RIGHTS: &str = "`kubectl get serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings -A -o yaml` writes what is read";

/// The rights that files describe; the account must be among them.
///
/// # Errors
/// If a file cannot be read, or nothing in it is about rights.
pub fn access(paths: &[PathBuf], account: &Account) -> Result<Access, Error> {
    let mut access = Access::default();
    let mut wrong = Vec::new();
    let mut taken = 0;
    for path in paths {
        let bytes = read_file(path).map_err(|error| Error::io("read", path, &error))?;
        match rbac_files::read(&mut access, &bytes, "default") {
            Ok(added) => taken += added.taken,
            Err(errors) => wrong.extend(
                errors
                    .into_iter()
                    .map(|error| format!("{}:{}: {}", path.display(), error.line, error.message)),
            ),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong
            .into_iter()
            .fold(Error::new("the rights cannot be read:"), Error::detail)
            .help(RIGHTS));
    }
    if taken == 0 {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(
            Error::new(format!("{}: no roles, bindings or service accounts", paths.join(", "))).help(RIGHTS)
        );
    }
    if !access.accounts.contains(account) {
        return Err(no_account(&access, account));
    }
    rbac_files::add_default_roles(&mut access);
    Ok(access)
}

/// The text of operator-controller, and what may have been meant.
fn no_account(access: &Access, account: &Account) -> Error {
    let Account { namespace, name } = account;
    let error = Error::new(format!(
        "service account \"{name}\" not found in namespace \"{namespace}\": it is in none of the files of --rbac"
    ));
    let known: Vec<String> =
        access.accounts.iter().map(|account| format!("{}/{}", account.namespace, account.name)).collect();
    match closest(&format!("{namespace}/{name}"), known.iter().map(String::as_str)) {
        Some(meant) => error.help(format!("is {meant} meant?")),
        None => error.help("add a file with the ServiceAccount; OLM v1 does not make it, nor its namespace"),
    }
}
