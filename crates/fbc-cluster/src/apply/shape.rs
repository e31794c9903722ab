//! How the lists and maps of a kind merge.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::types::{StructId, Type, decode, types};

/// A place in a [`Shape`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// How the fields, lists and maps of a kind merge.
///
/// It is cheap to clone. [`Shape::built_in`] has those of built-in kinds, [`Shape::of_schema`] makes one of a schema
/// of a custom resource definition, [`Shape::untyped`] serves where nothing is known.
#[derive(Debug, Clone)]
pub struct Shape {
    nodes: Arc<Vec<Node>>,
    root: NodeId,
    /// An object that says nothing, where the kind has fields that are there all the same.
    empty: Option<Arc<Value>>,
}

/// What may stand at a place, and how it merges.
#[derive(Debug, Clone)]
pub enum Node {
    /// A scalar, which is replaced.
    Scalar(Scalar),
    /// An object.
    Map {
        /// The members with a type of their own.
        fields: BTreeMap<String, StructField>,
        /// What all other members hold; `None` if there must be none.
        values: Option<NodeId>,
        /// True if it is replaced as a whole.
        atomic: bool,
    },
    /// A list.
    List {
        /// What the items are.
        items: NodeId,
        /// How they merge.
        kind: ListKind,
    },
    /// Anything: objects merge member by member, lists and scalars are replaced.
    Untyped,
    /// Anything, replaced as a whole.
    Opaque,
}

/// What kind of scalar a place holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Flag,
    /// Any of them.
    Any,
}

/// How the items of a list merge.
#[derive(Debug, Clone, PartialEq)]
pub enum ListKind {
    /// The list is replaced as a whole.
    Atomic,
    /// Scalars of which each comes once.
    Set,
    /// Objects that these fields tell apart.
    Keyed(Vec<MapKey>),
}

/// A field that tells items of a list apart.
#[derive(Debug, Clone, PartialEq)]
pub struct MapKey {
    /// The name of the field.
    pub name: String,
    /// The value of items that do not have the field.
    pub default: Option<Value>,
}

/// A member of an object that has a type of its own.
#[derive(Debug, Clone)]
pub struct StructField {
    /// What it holds.
    pub node: NodeId,
    /// How strategic merge patches treat it.
    pub patching: Patching,
}

/// How strategic merge patches treat a field; only built-in kinds have any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Patching {
    /// True if items of a list are added instead of replacing it.
    pub merges: bool,
    /// True if an object is replaced although objects merge otherwise.
    pub replaces: bool,
    /// True if members that a patch does not name (`$retainKeys`) are dropped.
    pub retains_keys: bool,
    /// The field that tells items apart; `None` for lists of scalars.
    pub merge_key: Option<&'static str>,
}

impl Shape {
    /// The shape of a built-in kind; `None` for kinds without tables.
    pub fn built_in(group: &str, version: &str, kind: &str) -> Option<Self> {
        let of = types().of_kind(group, version, kind)?;
        let root = *BUILT_IN.roots.get(&of)?;
        let mut empty = Value::Object(serde_json::Map::new());
        let empty = decode(&mut empty, of).is_ok().then(|| Arc::new(empty));
        Some(Self { nodes: Arc::clone(&BUILT_IN.nodes), root, empty })
    }

    /// What an object of the kind holds of which nobody has said anything.
    pub(super) fn empty(&self) -> Option<&Value> {
        self.empty.as_deref()
    }

    /// The shape of objects of which nothing is known but `metadata`.
    pub fn untyped() -> Self {
        let mut builder = ShapeBuilder::default();
        let values = builder.add(Node::Untyped);
        let metadata = builder.metadata();
        let fields = BTreeMap::from([(
            "metadata".to_owned(),
            StructField { node: metadata, patching: Patching::default() },
        )]);
        let root = builder.add(Node::Map { fields, values: Some(values), atomic: false });
        builder.finish(root)
    }

    /// The place of the whole object.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// What stands at a place.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The place of a member of an object at a place; `None` if it may have no such member.
    pub fn member(&self, id: NodeId, name: &str) -> Option<NodeId> {
        match self.node(id) {
            Node::Map { fields, values, .. } => fields.get(name).map(|field| field.node).or(*values),
            Node::Untyped | Node::Opaque => Some(id),
            _ => None,
        }
    }

    /// How strategic merge patches treat a member of an object at a place.
    pub fn patching(&self, id: NodeId, name: &str) -> Patching {
        match self.node(id) {
            Node::Map { fields, .. } => fields.get(name).map(|field| field.patching).unwrap_or_default(),
            _ => Patching::default(),
        }
    }
}

/// Puts a [`Shape`] together, place by place.
#[derive(Debug, Default)]
pub struct ShapeBuilder {
    nodes: Vec<Node>,
    structs: BTreeMap<(StructId, bool), NodeId>,
}

impl ShapeBuilder {
    /// Adds a place.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    /// The place of `metadata` of any object.
    pub fn metadata(&mut self) -> NodeId {
        match types().named("meta", "ObjectMeta") {
            Some(id) => self.add_struct(id, false),
            None => self.add(Node::Untyped),
        }
    }

    /// The finished shape, with the place of the whole object.
    pub fn finish(self, root: NodeId) -> Shape {
        Shape { nodes: Arc::new(self.nodes), root, empty: None }
    }

    fn add_struct(&mut self, id: StructId, atomic: bool) -> NodeId {
        if let Some(node) = self.structs.get(&(id, atomic)) {
            return *node;
        }
        // The place exists before its fields do, since types may hold themselves.
        let node = self.add(Node::Opaque);
        self.structs.insert((id, atomic), node);
        let mut fields = BTreeMap::new();
        for field in &types().get(id).fields {
            let patching = Patching {
                merges: field.merges,
                replaces: field.replaces,
                retains_keys: field.retains_keys,
                merge_key: field.merge_key,
            };
            let of = self.add_type(&field.of, field);
            fields.insert(field.name.to_owned(), StructField { node: of, patching });
        }
        self.nodes[node.0 as usize] = Node::Map { fields, values: None, atomic };
        node
    }

    fn add_type(&mut self, of: &Type, field: &crate::types::Field) -> NodeId {
        match of {
            Type::Optional(inner) => self.add_type(inner, field),
            Type::Struct(id) => {
                let atomic = field.atomic.unwrap_or(types().get(*id).atomic);
                self.add_struct(*id, atomic)
            }
            Type::List(item) => {
                let items = self.add_type(item, field);
                let kind = list_kind(item, field);
                self.add(Node::List { items, kind })
            }
            Type::Map(item) => {
                let values = Some(self.add_type(item, field));
                let atomic = field.atomic == Some(true);
                self.add(Node::Map { fields: BTreeMap::new(), values, atomic })
            }
            Type::Raw => {
                let values = Some(self.add(Node::Opaque));
                self.add(Node::Map { fields: BTreeMap::new(), values, atomic: false })
            }
            Type::Any | Type::Special(_) => self.add(Node::Opaque),
            Type::Fields => self.add(Node::Untyped),
            Type::Text(_) | Type::Bytes | Type::Duration => self.add(Node::Scalar(Scalar::Text)),
            Type::Flag => self.add(Node::Scalar(Scalar::Flag)),
            Type::Whole(_) | Type::Float => self.add(Node::Scalar(Scalar::Number)),
            Type::Time | Type::MicroTime | Type::Quantity | Type::IntOrText => {
                self.add(Node::Scalar(Scalar::Any))
            }
        }
    }
}

/// How the items of a list merge: as declared for server-side apply, else as for strategic merge patches.
///
/// Source: `kubernetes/kube-openapi:pkg/schemaconv/smd.go`.
fn list_kind(item: &Type, field: &crate::types::Field) -> ListKind {
    use crate::types::Items;
    let keyed = |names: &[&'static str]| {
        let default = |name: &str| match item {
            Type::Struct(id) => types().get(*id).field(name).and_then(|field| field.default.clone()),
            _ => None,
        };
        ListKind::Keyed(
            names.iter().map(|name| MapKey { name: (*name).to_owned(), default: default(name) }).collect(),
        )
    };
    match (&field.items, field.merge_key) {
        (Items::Keyed(names), _) => keyed(names),
        (Items::Set, _) => ListKind::Set,
        (Items::Unsaid, Some(key)) if field.merges => keyed(&[key]),
        (Items::Unsaid, None) if field.merges => ListKind::Set,
        _ => ListKind::Atomic,
    }
}

struct BuiltIn {
    nodes: Arc<Vec<Node>>,
    roots: BTreeMap<StructId, NodeId>,
}

static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(|| {
    let mut builder = ShapeBuilder::default();
    let roots = types().kinds().map(|id| (id, builder.add_struct(id, false))).collect();
    BuiltIn { nodes: Arc::new(builder.nodes), roots }
});

#[cfg(test)]
mod tests {
    use super::*;

    fn place(shape: &Shape, path: &[&str]) -> NodeId {
        path.iter().fold(shape.root(), |id, name| match (*name, shape.node(id)) {
            ("*", Node::List { items, .. }) => *items,
            _ => shape.member(id, name).unwrap_or_else(|| panic!("{name}")),
        })
    }

    #[test]
    fn built_in_kinds_know_their_lists_and_maps() {
        let shape = Shape::built_in("apps", "v1", "Deployment").unwrap();
        let containers = place(&shape, &["spec", "template", "spec", "containers"]);
        assert!(
            matches!(shape.node(containers), Node::List { kind: ListKind::Keyed(keys), .. } if keys[0].name == "name")
        );
        let ports = place(&shape, &["spec", "template", "spec", "containers", "*", "ports"]);
        let Node::List { kind: ListKind::Keyed(keys), .. } = shape.node(ports) else { panic!("keyed") };
        assert_eq!(keys[1], MapKey { name: "protocol".into(), default: Some("TCP".into()) });
        for (path, atomic) in [
            (&["spec", "selector"][..], true),
            (&["spec", "template", "spec", "nodeSelector"][..], true),
            (&["metadata", "labels"][..], false),
        ] {
            let id = place(&shape, path);
            assert!(matches!(shape.node(id), Node::Map { atomic: is, .. } if *is == atomic), "{path:?}");
        }
        let finalizers = place(&shape, &["metadata", "finalizers"]);
        assert!(matches!(shape.node(finalizers), Node::List { kind: ListKind::Set, .. }));
        assert!(Shape::built_in("example.com", "v1", "Widget").is_none());
    }
}
