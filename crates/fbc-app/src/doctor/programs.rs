//! The programs: this one, those that it starts, and those that it makes unnecessary.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::Machine;
use super::item::Item;

/// Programs that other toolchains need and fbc does not.
const NOT_NEEDED: [&str; 5] = ["docker", "podman", "skopeo", "oc", "jq"];

pub(super) fn items(machine: &Machine) -> Vec<Item> {
    let (version, system) = (machine.version, std::env::consts::OS);
    let own = machine.program.as_ref();
    let in_path = |name: &str| find(machine.path.as_deref()?, name);
    let place = own.map(|path| format!(", {}", path.display())).unwrap_or_default();
    let mut items = vec![Item::good(format!("fbc {version} ({system}/{}){place}", std::env::consts::ARCH))];
    items.push(git());
    if let Some(opm) = in_path("opm") {
        let is_this = |own: &PathBuf| opm.canonicalize().ok() == own.canonicalize().ok();
        items.push(match own.is_some_and(is_this) {
            true => Item::good(format!("opm: {} is this program", opm.display())),
            false => Item::note(format!(
                "opm: {} is another program; `fbc opm` takes its command line",
                opm.display()
            )),
        });
    }
    let others: Vec<&str> = NOT_NEEDED.into_iter().filter(|name| in_path(name).is_some()).collect();
    if !others.is_empty() {
        items.push(Item::note(format!("found, and not needed: {}", others.join(", "))));
    }
    items
}

fn git() -> Item {
    match fbc_source::git::version() {
        Ok(version) => Item::good(format!("git: {version}")),
        Err(_) => Item::warning(
            "git: not found",
            "install it to compare with revisions, as `fbc validate --base` and `fbc diff` do",
        ),
    }
}

/// The file of a program.
fn find(folders: &OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
