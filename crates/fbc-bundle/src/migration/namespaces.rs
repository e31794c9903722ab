//! Packages that are installed in several namespaces, which OLM v1 does not know.

use std::collections::{BTreeMap, BTreeSet};

use super::{Migration, Note, NoteKind};

/// Notes at each migration which other namespaces have its package.
pub(super) fn note_packages_of_several(migrations: &mut [Migration]) {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for migration in &*migrations {
        places.entry(migration.package.clone()).or_default().insert(migration.namespace.clone());
    }
    for migration in migrations {
        let Some(namespaces) = places.get(&migration.package).filter(|all| all.len() > 1) else { continue };
        let namespaces: Vec<&str> = namespaces.iter().map(String::as_str).collect();
        let text =
            format!("OLM v1 installs a package once, and namespaces {} have it", namespaces.join(" and "));
        migration.notes.insert(0, Note { kind: NoteKind::CannotMove, text });
    }
}
