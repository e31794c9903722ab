//! Places that the architecture page names: modules and functions as `` `fbc_crate::name` ``, files and folders as
//! `` `crates/…` ``.

use std::path::Path;

/// What a checkout has.
pub(super) struct Checkout<'c> {
    /// Whether a path from the root is there.
    pub(super) exists: &'c dyn Fn(&Path) -> bool,
    /// The text of a file; empty if it cannot be read.
    pub(super) read: &'c dyn Fn(&Path) -> String,
}

/// What the page names that is not there.
pub(super) fn check(page: &str, checkout: &Checkout<'_>) -> Vec<String> {
    let mut violations = Vec::new();
    for (number, line) in page.lines().enumerate() {
        for name in line.split('`').skip(1).step_by(2) {
            if !stands(name, checkout) {
                violations.push(format!("docs/architecture.md:{}: there is no `{name}`", number + 1));
            }
        }
    }
    violations
}

/// Whether a name is that of something that is there, or none that can be checked.
fn stands(name: &str, checkout: &Checkout<'_>) -> bool {
    let exists = |path: &str| (checkout.exists)(Path::new(path));
    if name.starts_with("crates/") {
        // `FAMILY` and `NAME` stand for any name.
        let is_open = |part: &str| ["FAMILY", "NAME"].iter().any(|word| part.starts_with(word));
        let known: Vec<&str> = name.split('/').take_while(|part| !is_open(part)).collect();
        return exists(&known.join("/"));
    }
    let Some((package, path)) = name.split_once("::") else { return true };
    if package != "fbc" && !package.starts_with("fbc_") {
        return true;
    }
    // A module or a function of the crate; what stands in a module is for the compiler.
    let module = path.split("::").next().unwrap_or_default();
    if module.is_empty() || !module.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
        return true;
    }
    let sources = format!("crates/{}/src", package.replace('_', "-"));
    let is_word = |byte: char| byte.is_ascii_alphanumeric() || byte == '_';
    let front = (checkout.read)(Path::new(&format!("{sources}/lib.rs")));
    exists(&format!("{sources}/{module}"))
        || exists(&format!("{sources}/{module}.rs"))
        || front.split(|byte| !is_word(byte)).any(|word| word == module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_there() {
        let there = ["crates/fbc-app/src/base.rs", "crates/fbc-olm/src/catalogd", "crates/fbc-rules/src"];
        let exists = |path: &Path| there.iter().any(|one| Path::new(one) == path);
        let read = |_: &Path| "pub use loading::{load, Loader};".to_owned();
        let checkout = Checkout { exists: &exists, read: &read };
        let page = "`fbc_app::base`, `fbc_olm::catalogd::Label`, `fbc_app::Loader`, `fbc_app::load`, `std::io`\n\
                    `crates/fbc-app/src/base.rs`, `crates/fbc-rules/src/FAMILY/NAME.rs`\n\
                    `fbc_app::bass`, `crates/fbc-app/src/bass.rs`\n";
        assert_eq!(
            check(page, &checkout),
            [
                "docs/architecture.md:3: there is no `fbc_app::bass`",
                "docs/architecture.md:3: there is no `crates/fbc-app/src/bass.rs`",
            ]
        );
    }
}
