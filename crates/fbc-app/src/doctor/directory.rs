//! The directory that the command runs in: its configuration and its catalogs.

use std::fs;
use std::path::Path;

use fbc_source::Error;
use fbc_source::git::Repository;

use super::item::Item;
use crate::configuration;
use crate::count::counted;
use crate::layout::{find, repository_tree};
use crate::settings::Settings;

pub(super) fn items(settings: &Settings) -> Vec<Item> {
    let here = Path::new(".");
    let mut items = vec![configuration_file()];
    let is_repository = match Repository::around(here, settings.budgets.git) {
        Ok(_) => {
            items.push(Item::good("a git repository: revisions such as `origin/main:PATH` can be read"));
            true
        }
        // Outside of one there is nothing wrong; a repository that git refuses is told.
        Err(failure) if failure.message().contains("dubious ownership") => {
            items.push(Item::from(failure));
            true
        }
        Err(_) => {
            items.push(Item::note("not a git repository: `--base` has nothing to compare with"));
            false
        }
    };
    // A home directory may be large, and nobody asks about it.
    if is_repository || configuration::nearest().is_some() {
        items.push(catalogs(here, settings));
    }
    items
}

fn configuration_file() -> Item {
    let Some(path) = configuration::nearest() else {
        return Item::note("no fbc.toml here or above: every setting has its default");
    };
    let checked = fs::read_to_string(&path)
        .map_err(|error| Error::io("read", &path, &error))
        .and_then(|text| configuration::check(&path, &text));
    match checked {
        Ok(()) => Item::good(format!("configuration: {}", path.display())),
        Err(error) => Item::from(error),
    }
}

fn catalogs(here: &Path, settings: &Settings) -> Item {
    let found = match repository_tree(here, settings).and_then(|tree| find(tree.as_ref())) {
        Ok(found) => found.catalogs.len(),
        Err(failure) => return Item::from(failure),
    };
    match found {
        0 => Item::note("no catalogs are found here"),
        number => Item::good(format!("{}; `fbc repository` lists them", counted(number, "catalog"))),
    }
}
