//! How an operator uses OperatorConditions, by which it tells OLM v0 that it must not be updated. OLM v1 does not have them.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/operators/operatorcondition_controller.go` (the
//! variable), `operator-framework/operator-controller:docs/project/olmv1_limitations.md`.

use std::fmt;

use fbc_yaml::Node;

/// The variable that OLM v0 sets to the name of the condition, and how it is often written by mistake.
const VARIABLES: [&str; 2] = ["OPERATOR_CONDITION_NAME", "OPERATOR_CONDITIONS_NAME"];

/// How an operator uses OperatorConditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionUse {
    /// It asks for rights on them.
    Right,
    /// A container has the variable with the name of the condition.
    Variable {
        /// The variable.
        variable: &'static str,
        /// The container.
        container: String,
        /// Its deployment.
        deployment: String,
    },
}

impl fmt::Display for ConditionUse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right => write!(out, "it asks for rights on `operatorconditions`"),
            Self::Variable { variable, container, deployment } => {
                write!(
                    out,
                    "container {container:?} of deployment {deployment:?} has the variable `{variable}`"
                )
            }
        }
    }
}

/// The first use in a ClusterServiceVersion: a container with the variable, else a right.
#[must_use]
pub fn first_use(cluster_service_version: Node<'_>) -> Option<ConditionUse> {
    let install = at(cluster_service_version, &["spec", "install", "spec"])?;
    variable(install).or_else(|| has_right(install).then_some(ConditionUse::Right))
}

fn variable(install: Node<'_>) -> Option<ConditionUse> {
    items(install, "deployments").find_map(|deployment| {
        let pod = at(deployment, &["spec", "template", "spec"])?;
        let mut containers = items(pod, "initContainers").chain(items(pod, "containers"));
        containers.find_map(|container| {
            let mut names = items(container, "env").filter_map(|variable| variable.get_str("name"));
            let variable = names.find_map(|name| VARIABLES.into_iter().find(|known| *known == name))?;
            let name = |node: Node<'_>| node.get_str("name").unwrap_or_default().to_owned();
            Some(ConditionUse::Variable {
                variable,
                container: name(container),
                deployment: name(deployment),
            })
        })
    })
}

fn has_right(install: Node<'_>) -> bool {
    let permissions = ["clusterPermissions", "permissions"].into_iter().flat_map(|list| items(install, list));
    let mut rules = permissions.flat_map(|permission| items(permission, "rules"));
    rules.any(|rule| {
        let words = |list| items(rule, list).filter_map(Node::as_str);
        words("apiGroups").any(|group| group == "operators.coreos.com")
            && words("resources").any(|resource| resource.split('/').next() == Some("operatorconditions"))
    })
}

fn at<'d>(node: Node<'d>, keys: &[&str]) -> Option<Node<'d>> {
    keys.iter().try_fold(node, |node, key| node.get(key))
}

fn items<'d>(node: Node<'d>, key: &str) -> impl Iterator<Item = Node<'d>> {
    node.get(key).into_iter().flat_map(Node::items)
}

#[cfg(test)]
mod tests {
    use super::first_use;

    #[test]
    fn variables_and_rights() {
        let permission = |group: &str, resource: &str| {
            format!("permissions: [{{rules: [{{apiGroups: ['{group}'], resources: [{resource}]}}]}}]")
        };
        let container = |kind: &str, name: &str| {
            format!(
                "deployments: [{{name: d, spec: {{template: {{spec: {{{kind}: [{{name: c, env: [{{name: {name}}}]}}]}}}}}}}}]"
            )
        };
        let has = |name: &str| Some(format!("container \"c\" of deployment \"d\" has the variable `{name}`"));
        let right = Some("it asks for rights on `operatorconditions`".to_owned());
        for (install, expected) in [
            (permission("operators.coreos.com", "operatorconditions"), right.clone()),
            (permission("operators.coreos.com", "operatorconditions/status"), right),
            (permission("operators.coreos.com", "operatorconditionsx"), None),
            (permission("*", "'*'"), None),
            (container("containers", "OPERATOR_CONDITION_NAME"), has("OPERATOR_CONDITION_NAME")),
            (container("initContainers", "OPERATOR_CONDITIONS_NAME"), has("OPERATOR_CONDITIONS_NAME")),
            (container("containers", "OPERATOR_NAME"), None),
        ] {
            let text = format!("spec: {{install: {{spec: {{{install}}}}}}}");
            let document = fbc_yaml::stream::read_one(text.as_bytes()).unwrap();
            assert_eq!(first_use(document.root()).map(|found| found.to_string()), expected, "{text}");
        }
    }
}
