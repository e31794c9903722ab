//! Why a namespace is not resolved, in the words of OLM.

/// Something that is not read, with OLM's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(pub(crate) String);

/// Why a namespace is not resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The constraints contradict each other. The text names a smallest set of them that does, sorted.
    #[error("constraints not satisfiable: {}", .0.join(", "))]
    Unsatisfiable(Vec<String>),
    /// Any other error, such as a catalog that cannot be read.
    #[error("{0}")]
    Prevented(String),
    /// The search takes more steps than its budget allows. OLM has none and searches on.
    #[error("the search for a solution takes more than {0} steps (limit resolution-steps)")]
    Budget(u64),
}

impl ResolveError {
    /// The reason of the condition `ResolutionFailed`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unsatisfiable(_) => "ConstraintsNotSatisfiable",
            Self::Prevented(_) | Self::Budget(_) => "ErrorPreventedResolution",
        }
    }

    /// Whether the namespace is resolved again, with growing back-off, although nothing changed.
    #[must_use]
    pub fn is_retried(&self) -> bool {
        !matches!(self, Self::Unsatisfiable(_))
    }

    /// Several errors as one, each text once.
    ///
    /// Source: `kubernetes/apimachinery:pkg/util/errors/errors.go` (`aggregate.Error`).
    pub(crate) fn aggregate(texts: Vec<String>) -> Self {
        let mut distinct: Vec<String> = Vec::new();
        for text in texts {
            if !distinct.contains(&text) {
                distinct.push(text);
            }
        }
        match distinct.as_slice() {
            [one] => Self::Prevented(one.clone()),
            several => Self::Prevented(format!("[{}]", several.join(", "))),
        }
    }
}
