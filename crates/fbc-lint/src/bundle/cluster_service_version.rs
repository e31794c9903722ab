//! A cursor over the manifest that describes the operator.

use std::borrow::Cow;

use fbc_model::{Origin, go_type};
use fbc_version::{Release, Version, VersionRelease};
use fbc_yaml::{Kind, Node};

use super::Object;

/// A cluster service version. Nothing is assumed of its shape: what is not as it should be is absent.
#[derive(Clone, Copy, Debug)]
pub struct ClusterServiceVersion<'b> {
    /// The object.
    pub object: Object<'b>,
}

/// A custom resource that a cluster service version names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CustomResource<'b> {
    /// The name of the definition, `plural.group`.
    pub name: &'b str,
    /// The version.
    pub version: &'b str,
    /// The kind.
    pub kind: &'b str,
}

impl<'b> CustomResource<'b> {
    /// The group, which is the rest of the name behind the first dot; nothing where there is no dot.
    #[must_use]
    pub fn group(&self) -> Option<&'b str> {
        self.name.split_once('.').map(|(_, group)| group)
    }
}

/// A deployment of the install strategy.
#[derive(Clone, Debug)]
pub struct Deployment<'b> {
    /// Its name.
    pub name: &'b str,
    /// Its `spec`.
    pub spec: Option<Node<'b>>,
    /// The JSON pointer of the entry.
    pub pointer: String,
}

/// A container of a deployment.
#[derive(Clone, Debug)]
pub struct Container<'b> {
    /// Its name.
    pub name: &'b str,
    /// The container itself.
    pub node: Node<'b>,
    /// Its JSON pointer.
    pub pointer: String,
}

impl<'b> ClusterServiceVersion<'b> {
    /// Where it lies.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.object.origin
    }

    /// A member of its `spec`.
    #[must_use]
    pub fn spec(&self, key: &str) -> Option<Node<'b>> {
        self.object.node.get("spec")?.get(key).filter(|value| !value.is_null())
    }

    /// A text of its `spec`; empty where absent.
    #[must_use]
    pub fn spec_text(&self, key: &str) -> &'b str {
        self.spec(key).and_then(Node::as_str).unwrap_or_default()
    }

    /// Its release, which may be written as a number; empty where absent.
    #[must_use]
    pub fn release(&self) -> Cow<'b, str> {
        match self.spec("release") {
            Some(value) if value.kind() == Kind::Number => go_type::number_as_text(value).into(),
            value => value.and_then(Node::as_str).unwrap_or_default().into(),
        }
    }

    /// Its version with its release, where both can be read.
    #[must_use]
    pub fn version_release(&self) -> Option<VersionRelease> {
        let release = Release::parse(&self.release()).ok()?;
        Some(VersionRelease::new(Version::parse(self.spec_text("version")).ok()?, release))
    }

    /// Its annotations.
    pub fn annotations(&self) -> impl Iterator<Item = (&'b str, Node<'b>)> {
        let meta = self.object.node.get("metadata").and_then(|meta| meta.get("annotations"));
        meta.into_iter().flat_map(Node::members)
    }

    /// The text of an annotation.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&'b str> {
        self.object.node.get("metadata")?.get("annotations")?.get_str(key)
    }

    /// The items of a list of its `spec`, with their numbers.
    pub fn list(&self, key: &str) -> impl Iterator<Item = (usize, Node<'b>)> {
        self.spec(key).into_iter().flat_map(Node::items).enumerate()
    }

    /// The custom resources that it names under `owned` or `required`, with the number of each.
    pub fn custom_resources(&self, list: &str) -> impl Iterator<Item = (usize, CustomResource<'b>)> {
        let items = self.spec("customresourcedefinitions").and_then(|section| section.get(list));
        items.into_iter().flat_map(Node::items).enumerate().map(|(number, item)| {
            let text = |key: &str| item.get_str(key).unwrap_or_default();
            (number, CustomResource { name: text("name"), version: text("version"), kind: text("kind") })
        })
    }

    /// The deployments of its install strategy.
    pub fn deployments(&self) -> impl Iterator<Item = Deployment<'b>> {
        let strategy = self.spec("install").and_then(|install| install.get("spec"));
        let items = strategy.and_then(|strategy| strategy.get("deployments"));
        items.into_iter().flat_map(Node::items).enumerate().map(|(number, item)| Deployment {
            name: item.get_str("name").unwrap_or_default(),
            spec: item.get("spec"),
            pointer: format!("/spec/install/spec/deployments/{number}"),
        })
    }

    /// The permissions under `permissions` or `clusterPermissions`, with the pointer of each.
    pub fn permissions(&self, list: &str) -> impl Iterator<Item = (String, Node<'b>)> {
        let strategy = self.spec("install").and_then(|install| install.get("spec"));
        let items = strategy.and_then(|strategy| strategy.get(list));
        let start = format!("/spec/install/spec/{list}");
        items
            .into_iter()
            .flat_map(Node::items)
            .enumerate()
            .map(move |(number, item)| (format!("{start}/{number}"), item))
    }

    /// Whether an install mode is declared as supported.
    #[must_use]
    pub fn supports(&self, install_mode: &str) -> bool {
        self.list("installModes").any(|(_, mode)| {
            mode.get_str("type") == Some(install_mode)
                && mode.get("supported").and_then(Node::as_bool) == Some(true)
        })
    }
}

impl<'b> Deployment<'b> {
    /// The `spec` of the pods.
    #[must_use]
    pub fn pod(&self) -> Option<Node<'b>> {
        self.spec?.get("template")?.get("spec")
    }

    /// The containers of the pods, those that come first included.
    pub fn containers(&self) -> impl Iterator<Item = Container<'b>> {
        let pod = self.pod();
        let start = self.pointer.clone();
        ["initContainers", "containers"].into_iter().flat_map(move |list| {
            let start = format!("{start}/spec/template/spec/{list}");
            let items = pod.and_then(|pod| pod.get(list)).into_iter().flat_map(Node::items);
            items.enumerate().map(move |(number, node)| Container {
                name: node.get_str("name").unwrap_or_default(),
                node,
                pointer: format!("{start}/{number}"),
            })
        })
    }
}
