//! What OLM v0 gives the Subscriptions of a namespace, as data and in words.

use std::collections::BTreeMap;

use fbc_resolve_v0::{Explanation, Namespace, Rules, explain};

pub mod json;
pub mod namespaces;
pub mod words;

/// A namespace that is asked about.
#[derive(Debug)]
pub struct Asked {
    /// The namespace.
    pub namespace: Namespace,
    /// Where the manifests of its Subscriptions stand, as `file:line`.
    pub places: BTreeMap<String, String>,
    /// What the manifests say, and a resolver does not see: sentences.
    pub notes: Vec<String>,
}

/// What becomes of a namespace.
#[derive(Debug)]
pub struct NamespaceAnswer {
    /// The namespace.
    pub asked: Asked,
    /// What OLM says, with reasons.
    pub explanation: Explanation,
}

impl NamespaceAnswer {
    /// Resolves a namespace.
    #[must_use]
    pub fn to(asked: Asked, rules: Rules) -> Self {
        let explanation = explain(&asked.namespace, rules);
        Self { asked, explanation }
    }

    /// Whether all Subscriptions get or keep something.
    #[must_use]
    pub fn is_resolved(&self) -> bool {
        self.explanation.outcome.is_ok()
    }

    /// What waits for what once the namespace is resolved, and what else is worth knowing: sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.asked.notes.clone();
        notes.extend(words::waiting(&self.asked.namespace, &self.explanation));
        notes
    }
}
