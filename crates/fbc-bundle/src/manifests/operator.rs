//! A cluster service version as the generators see it. It has been converted to Go's types, so every
//! field that is always written is there, and texts are texts.

use std::collections::BTreeSet;

use fbc_yaml::Node;

/// A view of a cluster service version that went through its Go type.
#[derive(Clone, Copy, Debug)]
pub struct Operator<'b>(Node<'b>);

/// A deployment of the install strategy.
#[derive(Clone, Copy, Debug)]
pub struct Deployment<'b> {
    /// The name.
    pub name: &'b str,
    /// The labels of the deployment, if any.
    pub labels: Option<Node<'b>>,
    /// The specification.
    pub spec: Node<'b>,
}

/// The kinds of webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WebhookKind {
    /// Checks objects.
    Validating,
    /// Changes objects.
    Mutating,
    /// Converts objects between versions.
    Conversion,
}

/// A webhook definition.
#[derive(Clone, Copy, Debug)]
pub struct Webhook<'b> {
    /// The type as it is written.
    pub kind: &'b str,
    /// The name, which webhooks are made of.
    pub name: &'b str,
    /// The deployment that serves it.
    pub deployment: &'b str,
    /// The whole definition.
    pub node: Node<'b>,
}

impl WebhookKind {
    /// The type as cluster service versions write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Validating => "ValidatingAdmissionWebhook",
            Self::Mutating => "MutatingAdmissionWebhook",
            Self::Conversion => "ConversionWebhook",
        }
    }
}

impl<'b> Operator<'b> {
    /// The whole cluster service version.
    pub(crate) fn node(self) -> Node<'b> {
        self.0
    }

    /// The view of a converted cluster service version.
    pub(super) fn new(node: Node<'b>) -> Self {
        Self(node)
    }

    /// The name of the cluster service version.
    #[must_use]
    pub fn name(self) -> &'b str {
        self.at(&["metadata", "name"]).and_then(Node::as_str).unwrap_or_default()
    }

    /// The version that it says; empty without.
    #[must_use]
    pub fn version(self) -> &'b str {
        self.at(&["spec", "version"]).and_then(Node::as_str).unwrap_or_default()
    }

    /// The annotations as they are written.
    #[must_use]
    pub fn annotations(self) -> Option<Node<'b>> {
        self.at(&["metadata", "annotations"])
    }

    /// The supported install modes.
    #[must_use]
    pub fn install_modes(self) -> BTreeSet<&'b str> {
        self.list(&["spec", "installModes"])
            .filter(|mode| mode.get("supported").and_then(Node::as_bool) == Some(true))
            .map(|mode| mode.get_str("type").unwrap_or_default())
            .collect()
    }

    /// Whether it serves API services.
    #[must_use]
    pub fn owns_api_services(self) -> bool {
        self.list(&["spec", "apiservicedefinitions", "owned"]).next().is_some()
    }

    /// The names of the custom resource definitions that it owns.
    pub fn owned_definitions(self) -> impl Iterator<Item = &'b str> {
        self.list(&["spec", "customresourcedefinitions", "owned"])
            .map(|definition| definition.get_str("name").unwrap_or_default())
    }

    /// The deployments.
    pub fn deployments(self) -> impl Iterator<Item = Deployment<'b>> {
        self.list(&["spec", "install", "spec", "deployments"]).filter_map(|deployment| {
            Some(Deployment {
                name: deployment.get_str("name").unwrap_or_default(),
                labels: deployment.get("label"),
                spec: deployment.get("spec")?,
            })
        })
    }

    /// The permissions in the watched namespaces; members in Go's order.
    pub fn permissions(self) -> impl Iterator<Item = Node<'b>> {
        self.list(&["spec", "install", "spec", "permissions"])
    }

    /// The permissions in the whole cluster; members in Go's order.
    pub fn cluster_permissions(self) -> impl Iterator<Item = Node<'b>> {
        self.list(&["spec", "install", "spec", "clusterPermissions"])
    }

    /// The webhook definitions.
    pub fn webhooks(self) -> impl Iterator<Item = Webhook<'b>> {
        self.list(&["spec", "webhookdefinitions"]).map(|node| Webhook {
            kind: node.get_str("type").unwrap_or_default(),
            name: node.get_str("generateName").unwrap_or_default(),
            deployment: node.get_str("deploymentName").unwrap_or_default(),
            node,
        })
    }

    /// The webhook definitions of a kind.
    pub fn webhooks_of(self, kind: WebhookKind) -> impl Iterator<Item = Webhook<'b>> {
        self.webhooks().filter(move |webhook| webhook.kind == kind.name())
    }

    fn list(self, path: &[&str]) -> impl Iterator<Item = Node<'b>> + use<'b> {
        self.at(path).into_iter().flat_map(Node::items)
    }

    fn at(self, path: &[&str]) -> Option<Node<'b>> {
        path.iter().try_fold(self.0, |node, key| node.get(key))
    }
}

impl<'b> Webhook<'b> {
    /// The name of the objects made of it.
    #[must_use]
    pub fn object_name(self) -> &'b str {
        self.name.strip_suffix('-').unwrap_or(self.name)
    }

    /// The port; 0 where none is given.
    #[must_use]
    pub fn container_port(self) -> f64 {
        self.node.get("containerPort").and_then(Node::as_f64).unwrap_or_default()
    }

    /// The custom resource definitions that it converts.
    pub fn converted_definitions(self) -> impl Iterator<Item = &'b str> {
        self.node
            .get("conversionCRDs")
            .into_iter()
            .flat_map(Node::items)
            .map(|name| name.as_str().unwrap_or_default())
    }
}
