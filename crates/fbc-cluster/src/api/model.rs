//! What the API server knows of a kind beyond its names: types, shapes, definitions.

use crate::apply::Shape;
use crate::kind::Kind;
use crate::types::{StructId, types};

/// How objects of a kind are read, merged and checked.
#[derive(Debug)]
pub(super) enum Model {
    /// By Go's types.
    BuiltIn { of: StructId, shape: Shape },
    /// Nothing is known but metadata.
    Untyped { shape: Shape },
}

impl Model {
    /// The model of a kind that the API server brings along.
    pub(super) fn built_in(kind: &Kind) -> Self {
        let name = kind.preferred();
        let of = types().of_kind(&name.group, &name.version, &name.kind);
        match of.zip(Shape::built_in(&name.group, &name.version, &name.kind)) {
            Some((of, shape)) => Self::BuiltIn { of, shape },
            None => Self::untyped(),
        }
    }

    /// The model of a kind of which nothing is known but metadata.
    pub(super) fn untyped() -> Self {
        Self::Untyped { shape: Shape::untyped() }
    }

    /// How its lists and maps merge.
    pub(super) fn shape(&self) -> &Shape {
        match self {
            Self::BuiltIn { shape, .. } | Self::Untyped { shape } => shape,
        }
    }

    /// True if the API server brings the kind along.
    pub(super) fn is_built_in(&self) -> bool {
        matches!(self, Self::BuiltIn { .. })
    }
}
