//! Runlevel and component, as the name of a file says them: `0000_RUNLEVEL_COMPONENT_REST`.
//!
//! Source: `openshift/cluster-version-operator:pkg/payload/task_graph.go`.

/// Runlevel and component of a file name. Runlevels are compared as text: `3` is not `03`.
///
/// A name of another form is legal; such manifests are applied one after another.
pub fn runlevel_and_component(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("0000_")?;
    let (runlevel, rest) = rest.split_once('_')?;
    let (component, _) = rest.split_once('_')?;
    let is_runlevel = !runlevel.is_empty() && runlevel.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_runlevel && component.split('-').all(is_word)).then_some((runlevel, component))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D-CVO-24, D-CVO-38
    #[test]
    fn runlevel_and_component_stand_in_the_name() {
        for (name, expected) in [
            ("0000_03_config-operator_01_proxy.crd.yaml", Some(("03", "config-operator"))),
            ("0000_03_quota-openshift_01_clusterresourcequota.crd.yaml", Some(("03", "quota-openshift"))),
            (
                "0000_90_service-ca-operator_02_prometheusrolebinding.yaml",
                Some(("90", "service-ca-operator")),
            ),
            ("0000_99_machine-api-operator_00_tombstones.yaml", Some(("99", "machine-api-operator"))),
            ("0000_50_olm.yaml", None),
            ("0001_50_olm_00.yaml", None),
            ("0000_5a_olm_00.yaml", None),
            ("0000_50_olm.v1_00.yaml", None),
            ("0000_50_-olm_00.yaml", None),
            ("0000__olm_00.yaml", None),
            ("image-references", None),
        ] {
            assert_eq!(runlevel_and_component(name), expected, "{name}");
        }
    }
}
