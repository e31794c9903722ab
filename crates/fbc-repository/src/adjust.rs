//! What a release has differently from its template: image repositories, versions, channels and bundles that are left
//! out, and bundles that channels end with.

use std::collections::{BTreeMap, BTreeSet};

use fbc_graph::bundle_version;
use fbc_model::blob::schema;
use fbc_model::{Bundle, Catalog, Channel};
use fbc_version::OpenShiftRelease;
use fbc_version::blang;

use crate::matrix::{Entry, Exception};

/// Something that an exception names and the template does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// A channel.
    Channel(String),
    /// A bundle.
    Bundle(String),
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
pub fn adjust(catalog: &mut Catalog, entry: &Entry, release: Option<OpenShiftRelease>) -> Result<(), Absent> {
    rename_images(catalog, &entry.mirrors);
    let is_meant =
        |exception: &&Exception| release.is_some_and(|release| exception.releases.contains(&release));
    for exception in entry.exceptions.iter().filter(is_meant) {
        except(catalog, exception)?;
    }
    if entry.cut_replaces {
        catalog.channels.iter_mut().for_each(cut_replaces);
    }
    Ok(())
}

/// Entries that replace what the channel does not have replace nothing.
fn cut_replaces(channel: &mut Channel) {
    let known: BTreeSet<String> = channel.entries().iter().map(|entry| entry.name.clone()).collect();
    for entry in channel.entries.iter_mut().flatten() {
        if !known.contains(&entry.replaces) {
            entry.replaces.clear();
        }
    }
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
    let before = Names::from_catalog(catalog);
    let names = || catalog.channels.iter().flat_map(|channel| channel.entries()).map(|entry| &entry.name);
    if let Some(absent) = exception.without_bundles.iter().find(|name| !names().any(|one| one == *name)) {
        return Err(Absent::Bundle(absent.clone()));
    }
    for name in &exception.without_channels {
        let count = catalog.channels.len();
        catalog.channels.retain(|channel| channel.name != *name);
        if catalog.channels.len() == count {
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
    let is_left_out = |bundle: &Bundle| {
        let is_outside = |range: &blang::Range| {
            bundle_version::find(bundle).is_some_and(|found| !range.matches(&found.version))
        };
        exception.versions.as_ref().is_some_and(is_outside)
    };
    let without: BTreeSet<(String, String)> = catalog
        .bundles
        .iter()
        .filter(|bundle| is_left_out(bundle))
        .map(|bundle| (bundle.package.clone(), bundle.name.clone()))
        .collect();
    catalog.channels.retain_mut(|channel| {
        let Some(entries) = &mut channel.entries else { return true };
        let count = entries.len();
        entries.retain(|entry| {
            !exception.without_bundles.contains(&entry.name)
                && !without.contains(&(channel.package.clone(), entry.name.clone()))
        });
        // A channel without entries is refused by opm.
        count == 0 || !entries.is_empty()
    });
    // A bundle that no channel has is refused too, and so is the deprecation of what is not there.
    let left: BTreeSet<(&str, &str)> = catalog
        .channels
        .iter()
        .flat_map(|channel| {
            channel.entries().iter().map(|entry| (channel.package.as_str(), entry.name.as_str()))
        })
        .collect();
    catalog.bundles.retain(|bundle| left.contains(&(bundle.package.as_str(), bundle.name.as_str())));
    let gone = before.without(&Names::from_catalog(catalog));
    for deprecation in &mut catalog.deprecations {
        let package = &deprecation.package;
        if let Some(entries) = &mut deprecation.entries {
            entries.retain(|entry| !gone.has(&entry.schema, package, &entry.name));
        }
    }
    catalog.deprecations.retain(|deprecation| deprecation.entries.as_ref().is_none_or(|all| !all.is_empty()));
    Ok(())
}

/// The channels and bundles of a catalog, by package and name.
struct Names {
    channels: BTreeSet<(String, String)>,
    bundles: BTreeSet<(String, String)>,
}

impl Names {
    fn from_catalog(catalog: &Catalog) -> Self {
        let pair = |package: &String, name: &String| (package.clone(), name.clone());
        Self {
            channels: catalog.channels.iter().map(|channel| pair(&channel.package, &channel.name)).collect(),
            bundles: catalog.bundles.iter().map(|bundle| pair(&bundle.package, &bundle.name)).collect(),
        }
    }

    fn without(&self, others: &Self) -> Self {
        Self {
            channels: self.channels.difference(&others.channels).cloned().collect(),
            bundles: self.bundles.difference(&others.bundles).cloned().collect(),
        }
    }

    fn has(&self, schema: &str, package: &str, name: &str) -> bool {
        let names = match schema {
            schema::CHANNEL => &self.channels,
            schema::BUNDLE => &self.bundles,
            _ => return false,
        };
        names.contains(&(package.to_owned(), name.to_owned()))
    }
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
        adjust(&mut catalog, &entries[0], Some(OpenShiftRelease::new(4, release)))?;
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
        // A channel of which nothing is left goes as well.
        assert_eq!(channels, ["stable a.v2 a.v3"]);
    }

    #[test]
    fn versions_outside_of_a_range_are_left_out() {
        let bundle = |version: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: a\nname: a.v{version}\nimage: r/a:{version}\nproperties:\n\
                 - {{type: olm.package, value: {{packageName: a, version: {version}}}}}\n"
            )
        };
        let text = format!(
            "schema: olm.channel\npackage: a\nname: old\nentries:\n- {{name: a.v1.0.0}}\n---\n\
             schema: olm.channel\npackage: a\nname: stable\nentries:\n- {{name: a.v1.0.0}}\n\
             - {{name: a.v1.1.0, replaces: a.v1.0.0}}\n- {{name: a.v2.0.0, replaces: a.v1.1.0}}\n---\n\
             schema: olm.deprecations\npackage: a\nentries:\n\
             - {{message: m, reference: {{schema: olm.channel, name: old}}}}\n\
             - {{message: m, reference: {{schema: olm.bundle, name: a.v1.1.0}}}}\n{}{}{}",
            bundle("1.0.0"),
            bundle("1.1.0"),
            bundle("2.0.0")
        );
        for (cuts, replaced) in [("true", ""), ("false", "a.v1.0.0")] {
            let file = format!(
                "[[catalogs]]\npath = \"c\"\nocp = [\"4.14\"]\ncut-replaces = {cuts}\n\
                 [[catalogs.releases]]\nocp = [\"4.14\"]\nversions = \">=1.1.0 <2.0.0\"\n"
            );
            let mut catalog = load_bytes(Path::new("c.yaml"), text.as_bytes());
            adjust(&mut catalog, &entries_of(&file)[0], Some(OpenShiftRelease::new(4, 14))).unwrap();
            let [channel] = catalog.channels.as_slice() else { panic!("{:?}", catalog.channels) };
            assert_eq!(channel.entries()[0].replaces, replaced);
            let names: Vec<&str> = catalog.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
            assert_eq!(names, ["a.v1.1.0"]);
            let deprecated: Vec<&str> =
                catalog.deprecations[0].entries().iter().map(|entry| entry.name.as_str()).collect();
            assert_eq!(deprecated, ["a.v1.1.0"]);
        }
    }

    #[test]
    fn what_is_absent_is_named() {
        let bundle = Absent::Bundle("a.v9".to_owned());
        assert_eq!(adjusted("without-bundles = [\"a.v9\"]", 14), Err(bundle));
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
