//! What the API server knows of a kind beyond its names: types, schemas, how values merge.

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::apply::Shape;
use crate::kind::Kind;
use crate::object::Object;
use crate::schema::{Definition, Specification, Specifications, Version, conditions};
use crate::types::{StructId, types};
use crate::validation::{Strategy, strategy_of};

/// How objects of a kind are read, merged and checked.
#[derive(Debug, Clone)]
pub(super) enum Model {
    /// By Go's types.
    BuiltIn { of: StructId, shape: Shape, strategy: &'static Strategy },
    /// By the schemas of a definition, one for each version.
    Custom {
        definition: Box<Definition>,
        /// What everything else follows from, together with the accepted names.
        specification: Arc<Specification>,
        accepted_names: Box<Value>,
        /// Why no new objects may be made, if that is so.
        creation_refusal: Option<&'static str>,
    },
    /// Nothing is known but metadata.
    Untyped { shape: Shape },
}

impl Model {
    /// The model of a kind that the API server brings along.
    pub(super) fn built_in(kind: &Kind) -> Self {
        let name = kind.preferred();
        let of = types().of_kind(&name.group, &name.version, &name.kind);
        let shape = Shape::built_in(&name.group, &name.version, &name.kind);
        match (of, shape, strategy_of(kind)) {
            (Some(of), Some(shape), strategy) => {
                Self::BuiltIn { of, shape, strategy: strategy.unwrap_or(&PLAIN) }
            }
            _ => Self::untyped(),
        }
    }

    /// The model of a kind with a definition.
    pub(super) fn custom(definition: &Object, known: &Specifications) -> Self {
        let specification = known.specification(&definition["spec"]);
        let versions = Arc::clone(specification.versions());
        Self::Custom {
            definition: Box::new(Definition::with_versions(definition, versions)),
            specification,
            accepted_names: Box::new(definition["status"]["acceptedNames"].clone()),
            creation_refusal: conditions::creation_refusal(definition),
        }
    }

    /// Follows a definition whose schemas are the same as before; false if they are not.
    pub(super) fn follow(&mut self, changed: &Object) -> bool {
        match self {
            Self::Custom { specification, accepted_names, creation_refusal, .. }
                if *specification.spec() == changed["spec"]
                    && **accepted_names == changed["status"]["acceptedNames"] =>
            {
                *creation_refusal = conditions::creation_refusal(changed);
                true
            }
            _ => false,
        }
    }

    /// The model of a kind of which nothing is known but metadata.
    pub(super) fn untyped() -> Self {
        Self::Untyped { shape: Shape::untyped() }
    }

    /// How lists and maps of objects in this version (`apiVersion`) merge.
    pub(super) fn shape(&self, api_version: &str) -> &Shape {
        match self {
            Self::BuiltIn { shape, .. } | Self::Untyped { shape } => shape,
            Self::Custom { definition, specification, .. } => {
                let name = api_version.rsplit('/').next().unwrap_or_default();
                let index = definition.versions.iter().position(|version| version.name == name);
                // A definition has a shape for each of its versions, and at least one version.
                specification.shapes().get(index.unwrap_or_default()).unwrap_or(&UNTYPED)
            }
        }
    }

    /// The version of a custom kind that an object is written in.
    pub(super) fn version(&self, api_version: &str) -> Option<&Version> {
        match self {
            Self::Custom { definition, .. } => definition.version(api_version.rsplit('/').next()?),
            _ => None,
        }
    }

    /// Why no new objects of the kind may be made, if that is so.
    pub(super) fn creation_refusal(&self) -> Option<&'static str> {
        match self {
            Self::Custom { creation_refusal, .. } => *creation_refusal,
            _ => None,
        }
    }

    /// What writes of whole objects mean.
    pub(super) fn strategy(&self) -> &Strategy {
        match self {
            Self::BuiltIn { strategy, .. } => strategy,
            Self::Custom { .. } => &CUSTOM,
            Self::Untyped { .. } => &PLAIN,
        }
    }

    /// True if the API server brings the kind along.
    pub(super) fn is_built_in(&self) -> bool {
        matches!(self, Self::BuiltIn { .. })
    }
}

static UNTYPED: LazyLock<Shape> = LazyLock::new(Shape::untyped);

static PLAIN: LazyLock<Strategy> = LazyLock::new(Strategy::default);
static CUSTOM: LazyLock<Strategy> = LazyLock::new(Strategy::of_custom_kinds);
