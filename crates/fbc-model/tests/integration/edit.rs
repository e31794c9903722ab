//! Edits of real catalogs: each adds what it should, touches nothing else, and can be taken back.

use std::path::{Path, PathBuf};

use fbc_model::edit::{DeprecationsPlace, Draft, same_blobs};
use fbc_model::load::load_tree;
use fbc_model::tree::{DiskTree, MemoryTree, Tree as _};
use fbc_model::{Catalog, ChannelEntry, Deprecation, DeprecationEntry, Origin};
use fbc_yaml::edit::{Action, Change, Editor};

/// Catalogs of more bytes than this are left out: tests are built without optimisation.
const MOST_BYTES: u64 = 400_000;

/// The directories of the packages of all recorded catalogs.
fn packages() -> Option<Vec<PathBuf>> {
    let catalogs = std::fs::read_dir(fbc_testing::recordings("catalogs")?).unwrap();
    let catalogs = catalogs.map(|catalog| catalog.unwrap().path());
    let mut packages: Vec<PathBuf> = catalogs
        .flat_map(|catalog| std::fs::read_dir(catalog).unwrap().map(|package| package.unwrap().path()))
        .collect();
    let is_small = |package: &PathBuf| {
        let files = std::fs::read_dir(package).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum::<u64>() <= MOST_BYTES
    };
    packages.retain(is_small);
    packages.sort();
    assert!(!packages.is_empty());
    Some(packages)
}

/// How many bytes of the first text stay, at both ends together.
fn common_ends(old: &[u8], new: &[u8]) -> usize {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(front..).unwrap(), new.get(front..).unwrap());
    front + old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn load(path: &Path, bytes: &[u8]) -> Catalog {
    load_tree(&MemoryTree::from_iter([(path, bytes)]))
}

#[test]
fn entries_of_real_catalogs_are_added_and_taken_back() {
    let Some(packages) = packages() else { return };
    let mut edits = 0;
    for folder in &packages {
        let tree = DiskTree { root: folder.clone() };
        let catalog = load_tree(&tree);
        for (number, channel) in catalog.channels.iter().enumerate() {
            let entry = ChannelEntry {
                name: "new.v9.9.9".to_owned(),
                replaces: channel.entries().last().map(|entry| entry.name.clone()).unwrap_or_default(),
                skips: vec!["yes".to_owned(), "1.0".to_owned()],
                skip_range: ">=1.0.0 <9.9.9".to_owned(),
            };
            let place = if number.is_multiple_of(2) { 0 } else { channel.entries().len() };
            let mut draft = Draft::new(&catalog, &tree);
            draft.add_entry(number, place, &entry);
            let edited = draft.finish().unwrap();
            let [(path, Some(new))] = edited.files.iter().collect::<Vec<_>>()[..] else { panic!("one file") };
            let old = tree.read(path).unwrap();
            assert_eq!(common_ends(&old, new), old.len(), "{}: {:?}", folder.display(), channel.name);
            assert!(same_blobs(&load(path, new), &edited.meant), "{}: {:?}", folder.display(), channel.name);
            let mut editor = Editor::new(new);
            let remove = Change::new("/entries", Action::Remove { index: place });
            editor.change(channel.origin.document as usize, &remove).unwrap();
            assert_eq!(editor.finish().unwrap(), old, "{}: {:?}", folder.display(), channel.name);
            edits += 1;
        }
    }
    assert!(edits > 0);
    println!("{edits} channels in {} packages", packages.len());
}

#[test]
fn bundles_of_real_catalogs_are_added_again() {
    let Some(packages) = packages() else { return };
    let mut added = 0;
    for folder in packages {
        let tree = DiskTree { root: folder.clone() };
        let catalog = load_tree(&tree);
        let Some(bundle) = catalog.bundles.first() else { continue };
        let mut bundle = bundle.clone();
        bundle.name = "new.v9.9.9".to_owned();
        let mut draft = Draft::new(&catalog, &tree);
        draft.add_bundle(&bundle).unwrap();
        let entry = DeprecationEntry {
            schema: "olm.package".to_owned(),
            name: String::new(),
            message: "a\nb\n".to_owned(),
        };
        match catalog.deprecations.first() {
            Some(_) => draft.add_deprecation(0, &entry),
            None => {
                let entries = Some(vec![entry]);
                let blob =
                    Deprecation { origin: Origin::default(), package: bundle.package.clone(), entries };
                let place = DeprecationsPlace::of(&catalog, &tree, &bundle.package, true).unwrap();
                draft.add_deprecations(&place, &blob).unwrap();
            }
        }
        let edited = draft.finish().unwrap();
        let [(path, Some(new))] = edited.files.iter().collect::<Vec<_>>()[..] else { panic!("one file") };
        let new = load(path, new);
        assert_eq!(new.faults, []);
        assert!(same_blobs(&new, &edited.meant), "{}", folder.display());
        assert!(!same_blobs(&new, &catalog), "{}", folder.display());
        added += 1;
    }
    assert!(added > 0);
}
