//! What a bundle says of itself: its cluster service version, or what a catalog keeps of it.

use fbc_bundle::permissions::rbac_files;
use fbc_kubernetes::rbac::Rule;
use fbc_model::render::CSV_METADATA;
use fbc_model::{Bundle, bundle_object, cluster_service_version};
use fbc_yaml::{Document, Node, stream};

/// The cluster service version of a bundle.
pub(super) struct Descriptor {
    document: Document,
    /// Whether it is the manifest itself; else the catalog has no more than its descriptive part.
    pub(super) is_whole: bool,
}

/// A right that the operator asks for.
pub(super) struct Right {
    /// The account that gets it.
    pub(super) account: String,
    /// Whether it holds in the whole cluster, or in the watched namespaces.
    pub(super) is_cluster_wide: bool,
    /// What is allowed.
    pub(super) rule: Rule,
}

impl Descriptor {
    /// The descriptor of a bundle, if the catalog has any.
    pub(super) fn from_bundle(bundle: &Bundle) -> Option<Self> {
        if let Some(document) = bundle_object::cluster_service_version(bundle) {
            return Some(Self { document, is_whole: true });
        }
        let metadata = bundle.property_values(CSV_METADATA).next()?;
        let document = cluster_service_version::stand_in(bundle, metadata, None);
        Some(Self { document, is_whole: false })
    }

    /// A field of the specification.
    pub(super) fn spec(&self, key: &str) -> Option<Node<'_>> {
        self.document.root().get("spec")?.get(key)
    }

    /// A text of the specification; empty without.
    pub(super) fn text(&self, key: &str) -> &str {
        self.spec(key).and_then(Node::as_str).unwrap_or_default()
    }

    /// The items of a list of the specification.
    pub(super) fn list<'d>(&'d self, path: &[&str]) -> impl Iterator<Item = Node<'d>> + use<'d> {
        let spec = self.document.root().get("spec");
        let list = spec.and_then(|spec| path.iter().try_fold(spec, |node, key| node.get(key)));
        list.into_iter().flat_map(Node::items)
    }

    /// The annotations.
    pub(super) fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        let metadata = self.document.root().get("metadata");
        let annotations = metadata.and_then(|metadata| metadata.get("annotations"));
        annotations
            .into_iter()
            .flat_map(Node::members)
            .filter_map(|(name, value)| Some((name, value.as_str()?)))
    }

    /// An annotation; empty without.
    pub(super) fn annotation(&self, name: &str) -> &str {
        self.annotations().find(|(known, _)| *known == name).map(|(_, value)| value).unwrap_or_default()
    }

    /// The items of an annotation that holds a JSON array of texts.
    pub(super) fn annotation_list(&self, name: &str) -> Vec<String> {
        let document = stream::read_one(self.annotation(name).as_bytes()).ok();
        let items = document.iter().flat_map(|document| document.root().items());
        items.filter_map(Node::as_str).map(str::to_owned).collect()
    }

    /// Who makes the operator; empty without.
    pub(super) fn provider(&self) -> &str {
        self.spec("provider").and_then(|provider| provider.get_str("name")).unwrap_or_default()
    }

    /// The install modes that are supported.
    pub(super) fn install_modes(&self) -> Vec<&str> {
        self.list(&["installModes"])
            .filter(|mode| mode.get("supported").and_then(Node::as_bool) == Some(true))
            .filter_map(|mode| mode.get_str("type"))
            .collect()
    }

    /// What the operator may do; of a descriptor that is not whole nothing is known.
    pub(super) fn rights(&self) -> Vec<Right> {
        let of = |key: &'static str, is_cluster_wide: bool| {
            self.list(&["install", "spec", key]).flat_map(move |permission| {
                let account = permission.get_str("serviceAccountName").unwrap_or_default();
                let rules = rbac_files::rules(permission).into_iter();
                rules.map(move |rule| Right { account: account.to_owned(), is_cluster_wide, rule })
            })
        };
        of("clusterPermissions", true).chain(of("permissions", false)).collect()
    }
}
