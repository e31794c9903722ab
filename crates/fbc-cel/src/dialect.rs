//! The environments that expressions are written for: which functions, macros and signs there are.

/// An environment of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// What the API server offers to rules and policies: the standard library, the extensions, optional values, and
    /// Kubernetes' own libraries.
    ///
    /// Source: `kubernetes/apiserver:pkg/cel/environment/base.go`.
    #[default]
    Kubernetes,
    /// What OLM v0 offers to constraints: the standard library and `semver_compare`.
    ///
    /// Source: `operator-framework/api:pkg/constraints/cel.go` (`NewCelEnvironment`).
    Constraints,
}

/// The functions of the standard library.
///
/// Source: `google/cel-go:common/stdlib/standard.go`.
const STANDARD: [&str; 37] = [
    "_==_",
    "_!=_",
    "_<_",
    "_+_",
    "_-_",
    "_*_",
    "_/_",
    "_%_",
    "@in",
    "!_",
    "-_",
    "size",
    "type",
    "dyn",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "bool",
    "timestamp",
    "duration",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "getFullYear",
    "getMonth",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
    COMPARE_VERSIONS,
];

/// The function of constraints that compares versions: -1, 0 or 1.
pub(crate) const COMPARE_VERSIONS: &str = "semver_compare";

impl Dialect {
    /// Whether there is a function of this name.
    pub(crate) fn has_function(self, name: &str) -> bool {
        self == Self::Kubernetes || STANDARD.contains(&name)
    }

    /// The signatures of functions that only this dialect has.
    pub(crate) fn own_signatures(self, name: &str) -> Option<&'static str> {
        (self == Self::Constraints && name == COMPARE_VERSIONS).then_some("dyn,dyn:int")
    }

    /// Whether `1 < 1.5` is an expression.
    pub(crate) fn compares_numbers_of_several_types(self) -> bool {
        self == Self::Kubernetes
    }

    /// Whether there are optional values, bindings, and loops with two variables, which are extensions of the language.
    pub(crate) fn has_extensions(self) -> bool {
        self == Self::Kubernetes
    }
}
