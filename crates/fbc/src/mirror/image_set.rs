//! ImageSetConfiguration: what to mirror, as the oc-mirror plugin reads it.
//!
//! Source: `openshift/oc-mirror:internal/pkg/api/v2alpha1/type_config.go`, `docs/features`.

use std::path::{Path, PathBuf};

use fbc_version::{Grammar, Range, Target, Version};
use fbc_yaml::Node;
use fbc_yaml::stream;

use super::plan::{Order, Packages, Versions, WantedChannel, WantedPackage};
use crate::failure::Failure;

/// Sections of `mirror` that are not about operators.
const OTHER_SECTIONS: [&str; 4] = ["platform", "helm", "samples", "kubeVirtContainer"];

/// What a file orders.
pub(crate) struct ImageSet {
    /// The catalogs, in their order.
    pub(crate) orders: Vec<Order>,
    /// Images besides those of the catalogs.
    pub(crate) additional: Vec<String>,
    /// Images that are left out.
    pub(crate) blocked: Vec<String>,
    /// Sections that say something and are not about operators.
    pub(crate) passed_over: Vec<&'static str>,
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<ImageSet, Failure> {
    let bytes = fbc_model::tree::read_file(path).map_err(|error| Failure::io("read", path, &error))?;
    let document =
        stream::read_one(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let mut reader = Reader::default();
    let set = reader.image_set(document.root());
    if reader.faults.is_empty() {
        return Ok(set);
    }
    Err(Failure::new(format!("{} is no ImageSetConfiguration that fbc can follow:\n  {}", path.display(), reader.faults.join("\n  ")))
        .help("see the ImageSetConfiguration of oc-mirror v2; fbc follows `mirror.operators`, `mirror.additionalImages` and `mirror.blockedImages`"))
}

/// Collects every fault on the way.
#[derive(Default)]
struct Reader {
    faults: Vec<String>,
}

impl Reader {
    fn image_set(&mut self, root: Node<'_>) -> ImageSet {
        if root.get_str("kind") != Some("ImageSetConfiguration") {
            self.faults.push("kind must be ImageSetConfiguration".to_owned());
        }
        match root.get_str("apiVersion") {
            Some("mirror.openshift.io/v2alpha1" | "mirror.openshift.io/v1alpha2") => {}
            _ => self.faults.push("apiVersion must be mirror.openshift.io/v2alpha1 (or v1alpha2)".to_owned()),
        }
        self.known(root, "", &["kind", "apiVersion", "metadata", "mirror", "archiveSize", "storageConfig"]);
        let mirror = root.get("mirror");
        if let Some(mirror) = mirror {
            let known: Vec<&str> = ["operators", "additionalImages", "blockedImages"]
                .into_iter()
                .chain(OTHER_SECTIONS)
                .collect();
            self.known(mirror, "mirror", &known);
        }
        let is_used = |section: &&'static str| {
            mirror
                .and_then(|mirror| mirror.get(section))
                .is_some_and(|section| !section.is_null() && !section.is_empty())
        };
        let orders = self.each(mirror, "mirror", "operators", Self::order);
        let additional = self.each(mirror, "mirror", "additionalImages", Self::image_name);
        let blocked = self.each(mirror, "mirror", "blockedImages", Self::image_name);
        ImageSet {
            orders,
            additional,
            blocked,
            passed_over: OTHER_SECTIONS.iter().copied().filter(is_used).collect(),
        }
    }

    fn order(&mut self, node: Node<'_>, at: &str) -> Order {
        self.known(
            node,
            at,
            &[
                "catalog",
                "full",
                "packages",
                "targetCatalog",
                "targetTag",
                "skipDependencies",
                "originalRef",
                "targetCatalogSourceTemplate",
            ],
        );
        let full = node.get("full").and_then(Node::as_bool).unwrap_or_default();
        let packages =
            self.each(Some(node), at, "packages", |reader, node, at| reader.package(node, at, full));
        let packages = match (packages.is_empty(), full) {
            (true, true) => Packages::All,
            (true, false) => Packages::HeadsOfDefaultChannels,
            (false, _) => Packages::These(packages),
        };
        let catalog = self.text(node, at, "catalog").unwrap_or_default();
        Order {
            catalog: PathBuf::from(catalog.strip_prefix("docker://").unwrap_or(&catalog)),
            packages,
            target_repository: node.get_str("targetCatalog").map(str::to_owned),
            target_tag: node.get_str("targetTag").map(str::to_owned),
        }
    }

    fn package(&mut self, node: Node<'_>, at: &str, full: bool) -> WantedPackage {
        self.known(node, at, &["name", "channels", "defaultChannel", "minVersion", "maxVersion", "bundles"]);
        if node.get("bundles").is_some_and(|bundles| !bundles.is_null() && !bundles.is_empty()) {
            self.faults
                .push(format!("{at}.bundles is not understood; name versions by minVersion and maxVersion"));
        }
        let name = self.text(node, at, "name").unwrap_or_default();
        let channels = self.each(Some(node), at, "channels", |reader, node, at| {
            reader.known(node, at, &["name", "minVersion", "maxVersion"]);
            WantedChannel {
                name: reader.text(node, at, "name").unwrap_or_default(),
                versions: reader.versions(node, at, full),
            }
        });
        WantedPackage {
            name,
            channels,
            versions: self.versions(node, at, full),
            default_channel: node.get_str("defaultChannel").map(str::to_owned),
        }
    }

    /// Without limits the head, or with `full` everything.
    fn versions(&mut self, node: Node<'_>, at: &str, full: bool) -> Versions {
        let mut limit = |key: &str, sign: &str| -> Option<String> {
            let text = node.get_str(key).filter(|text| !text.is_empty())?;
            if Version::parse(text).is_err() {
                self.faults.push(format!("{at}.{key}: {text:?} is no version"));
            }
            Some(format!("{sign}{text}"))
        };
        let limits: Vec<String> =
            [limit("minVersion", ">="), limit("maxVersion", "<=")].into_iter().flatten().collect();
        if limits.is_empty() {
            return if full { Versions::All } else { Versions::Head };
        }
        match Range::parse(Grammar::Masterminds, Target::Latest, &limits.join(" ")) {
            Ok(range) => Versions::Range(range),
            // The version itself was reported above.
            Err(_) => Versions::All,
        }
    }

    fn image_name(&mut self, node: Node<'_>, at: &str) -> String {
        self.known(node, at, &["name"]);
        self.text(node, at, "name").unwrap_or_default()
    }

    fn each<T>(
        &mut self,
        parent: Option<Node<'_>>,
        at: &str,
        key: &str,
        mut read: impl FnMut(&mut Self, Node<'_>, &str) -> T,
    ) -> Vec<T> {
        let items = parent.and_then(|parent| parent.get(key)).into_iter().flat_map(Node::items);
        items.enumerate().map(|(number, item)| read(self, item, &format!("{at}.{key}[{number}]"))).collect()
    }

    fn text(&mut self, node: Node<'_>, at: &str, key: &str) -> Option<String> {
        let text = node.get_str(key).filter(|text| !text.is_empty());
        if text.is_none() {
            self.faults.push(format!("{at}.{key} is missing"));
        }
        text.map(str::to_owned)
    }

    fn known(&mut self, node: Node<'_>, at: &str, known: &[&str]) {
        for (key, _) in node.members().filter(|(key, _)| !known.contains(key)) {
            let place = if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
            self.faults.push(format!("{place} is not known; there are {}", known.join(", ")));
        }
    }
}
