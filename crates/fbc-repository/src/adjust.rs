//! What a release has differently from its template: image repositories, channels and bundles that are left out, and
//! bundles that channels end with.

use std::collections::{BTreeMap, BTreeSet};

use fbc_lint::policy::OcpVersion;
use fbc_model::{Catalog, Channel};

use crate::matrix::{Entry, Exception};

/// Something that an exception names and the template does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// A channel.
    Channel(String),
    /// The bundle that a channel is to end with.
    Head {
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
    },
}

/// Makes the catalog of a release from the expansion of its template.
///
/// # Errors
/// What an exception names and the template does not have.
pub fn adjust(catalog: &mut Catalog, entry: &Entry, release: Option<OcpVersion>) -> Result<(), Absent> {
    rename_images(catalog, &entry.mirrors);
    let Some(release) = release else { return Ok(()) };
    for exception in entry.exceptions.iter().filter(|one| one.releases.contains(&release)) {
        except(catalog, exception)?;
    }
    Ok(())
}

/// The reference with the repository that the catalog is to name; nothing if it stays.
#[must_use]
pub fn renamed(reference: &str, mirrors: &BTreeMap<String, String>) -> Option<String> {
    // The longest repository says most.
    let mut known: Vec<(&String, &String)> = mirrors.iter().collect();
    known.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
    known.into_iter().find_map(|(from, to)| {
        let rest = reference.strip_prefix(from.as_str())?;
        (rest.is_empty() || rest.starts_with([':', '@', '/'])).then(|| format!("{to}{rest}"))
    })
}

fn rename_images(catalog: &mut Catalog, mirrors: &BTreeMap<String, String>) {
    if mirrors.is_empty() {
        return;
    }
    for bundle in &mut catalog.bundles {
        let related = bundle.related_images.iter_mut().map(|image| &mut image.image);
        for image in std::iter::once(&mut bundle.image).chain(related) {
            if let Some(renamed) = renamed(image, mirrors) {
                *image = renamed;
            }
        }
    }
}

fn except(catalog: &mut Catalog, exception: &Exception) -> Result<(), Absent> {
    for name in &exception.without_channels {
        let before = catalog.channels.len();
        catalog.channels.retain(|channel| channel.name != *name);
        if catalog.channels.len() == before {
            return Err(Absent::Channel(name.clone()));
        }
    }
    for (name, head) in &exception.heads {
        let mut channels = catalog.channels.iter_mut().filter(|channel| channel.name == *name).peekable();
        if channels.peek().is_none() {
            return Err(Absent::Channel(name.clone()));
        }
        for channel in channels {
            cut(channel, head).map_err(|()| Absent::Head { channel: name.clone(), bundle: head.clone() })?;
        }
    }
    let without: BTreeSet<&str> = exception.without_bundles.iter().map(String::as_str).collect();
    for channel in &mut catalog.channels {
        if let Some(entries) = &mut channel.entries {
            entries.retain(|entry| !without.contains(entry.name.as_str()));
        }
    }
    // A bundle that no channel has is refused by opm.
    let used: BTreeSet<(&str, &str)> = catalog
        .channels
        .iter()
        .flat_map(|channel| {
            channel.entries().iter().map(|entry| (channel.package.as_str(), entry.name.as_str()))
        })
        .collect();
    catalog.bundles.retain(|bundle| used.contains(&(bundle.package.as_str(), bundle.name.as_str())));
    Ok(())
}

/// Leaves in a channel its new head, and what leads to it by `replaces` and `skips`.
fn cut(channel: &mut Channel, head: &str) -> Result<(), ()> {
    let entries = channel.entries.as_mut().ok_or(())?;
    let known: BTreeMap<&str, (&str, &[String])> = entries
        .iter()
        .map(|entry| (entry.name.as_str(), (entry.replaces.as_str(), entry.skips.as_slice())))
        .collect();
    if !known.contains_key(head) {
        return Err(());
    }
    let mut kept: BTreeSet<String> = BTreeSet::new();
    let mut left = vec![head];
    while let Some(name) = left.pop() {
        let Some((replaces, skips)) = known.get(name) else { continue };
        if kept.insert(name.to_owned()) {
            left.push(replaces);
            left.extend(skips.iter().map(String::as_str));
        }
    }
    entries.retain(|entry| kept.contains(&entry.name));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fbc_model::load::load_bytes;

    use super::*;
    use crate::matrix::entries_of;

    const CATALOG: &str = "schema: olm.channel\npackage: a\nname: stable\nentries:\n- {name: a.v1}\n- {name: a.v2, replaces: a.v1}\n\
        - {name: a.v3, replaces: a.v2}\n---\nschema: olm.channel\npackage: a\nname: old\nentries:\n- {name: a.v1}\n---\n\
        schema: olm.bundle\npackage: a\nname: a.v1\nimage: quay.io/stage/a@sha256:1\n---\n\
        schema: olm.bundle\npackage: a\nname: a.v3\nimage: quay.io/stage/a@sha256:3\n";

    fn adjusted(exception: &str, release: u32) -> Result<(Vec<String>, Vec<String>), Absent> {
        let text = format!(
            "[[catalogs]]\npath = \"c\"\nocp = [\"4.14..4.18\"]\nmirrors = {{\"quay.io/stage/a\" = \"r/a\"}}\n\
             [[catalogs.releases]]\nocp = [\"4.14\"]\n{exception}\n"
        );
        let entries = entries_of(&text);
        let mut catalog = load_bytes(Path::new("c.yaml"), CATALOG.as_bytes());
        adjust(&mut catalog, &entries[0], Some(OcpVersion::new(4, release)))?;
        let channels = catalog.channels.iter().map(|channel| {
            let names: Vec<&str> = channel.entries().iter().map(|entry| entry.name.as_str()).collect();
            format!("{} {}", channel.name, names.join(" "))
        });
        Ok((channels.collect(), catalog.bundles.iter().map(|bundle| bundle.image.clone()).collect()))
    }

    #[test]
    fn exceptions_are_for_their_releases() {
        let exception = "without-channels = [\"old\"]\nheads = {stable = \"a.v2\"}";
        let (channels, images) = adjusted(exception, 14).unwrap();
        assert_eq!(channels, ["stable a.v1 a.v2"]);
        assert_eq!(images, ["r/a@sha256:1"]);
        let (channels, images) = adjusted(exception, 15).unwrap();
        assert_eq!((channels.len(), images.len()), (2, 2));
        let (channels, _) = adjusted("without-bundles = [\"a.v1\"]", 14).unwrap();
        assert_eq!(channels, ["stable a.v2 a.v3", "old "]);
    }

    #[test]
    fn what_is_absent_is_named() {
        assert_eq!(adjusted("without-channels = [\"x\"]", 14), Err(Absent::Channel("x".to_owned())));
        let head = Absent::Head { channel: "stable".to_owned(), bundle: "a.v9".to_owned() };
        assert_eq!(adjusted("heads = {stable = \"a.v9\"}", 14), Err(head));
    }

    #[test]
    fn the_longest_repository_counts_and_only_whole_ones() {
        let mirrors =
            BTreeMap::from([("q/a".to_owned(), "r".to_owned()), ("q/a/b".to_owned(), "s".to_owned())]);
        assert_eq!(renamed("q/a/b@sha256:1", &mirrors).as_deref(), Some("s@sha256:1"));
        assert_eq!(renamed("q/a/c:1", &mirrors).as_deref(), Some("r/c:1"));
        assert_eq!(renamed("q/ab:1", &mirrors), None);
    }
}
