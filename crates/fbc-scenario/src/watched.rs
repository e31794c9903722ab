//! What an extension tells an operator to watch that cannot watch all namespaces.

use fbc_cluster::object::ObjectFields as _;
use fbc_olm::FeatureGates;
use serde_json::{Value, json};

/// The namespace that an operator watches that can watch neither all namespaces nor its own.
pub(crate) const OTHER_NAMESPACE: &str = "watched";

/// The namespace that an extension must name, by the install modes that its bundle supports. An operator that cannot
/// watch all namespaces does not say which one it should; its own comes first.
pub(crate) fn watched<'n>(
    supports: impl Fn(&str) -> bool,
    namespace: &'n str,
    gates: &FeatureGates,
) -> Option<&'n str> {
    let must_be_told = gates.single_own_namespace_install_support && !supports("AllNamespaces");
    must_be_told.then(|| if supports("OwnNamespace") { namespace } else { OTHER_NAMESPACE })
}

/// Lets an extension name the namespace.
pub(crate) fn configure(extension: &mut Value, watched: Option<&str>) {
    if let Some(watched) = watched {
        let config = json!({"configType": "Inline", "inline": {"watchNamespace": watched}});
        extension.set(&["spec", "config"], config);
    }
}
