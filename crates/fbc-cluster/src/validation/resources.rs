//! Validation of what containers ask for and may take at the most.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateResourceRequirements`),
//! `pkg/apis/core/helper/helpers.go`.

use std::collections::BTreeMap;

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::metadata::push_all;
use super::names::qualified_name;
use crate::admission::quotas::COUNTED;
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

/// Resources that containers have.
const OF_CONTAINERS: [&str; 3] = ["cpu", "ephemeral-storage", "memory"];
/// What quotas count besides whole kinds.
const COUNTED_SERVICES: [&str; 2] = ["services.loadbalancers", "services.nodeports"];
const HUGE_PAGES: &str = "hugepages-";

/// Whether a name is that of things which quotas count: only whole numbers of them exist.
fn is_counted(name: &str) -> bool {
    COUNTED.contains(&name) || COUNTED_SERVICES.contains(&name)
}

/// What is wrong with the resources of a container.
pub(super) fn validate_resources(container: &Value, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let amounts = |part: &'static str| {
        let members = container.at(&["resources", part]).and_then(Value::as_object).into_iter().flatten();
        members.filter_map(|(name, amount)| Some((name.as_str(), Quantity::from_json(amount)?)))
    };
    let place = format!("{place}.resources");
    let limits: BTreeMap<&str, Quantity> = amounts("limits").collect();
    for (name, amount) in amounts("limits") {
        validate_amount(name, amount, &format!("{place}.limits[{name}]"), &mut errors);
    }
    for (name, amount) in amounts("requests") {
        validate_amount(name, amount, &format!("{place}.requests[{name}]"), &mut errors);
        let may_exceed = is_native(name) && !name.starts_with(HUGE_PAGES);
        let mut refuse = |text: String| {
            errors.push(FieldError::invalid_text(format!("{place}.requests"), &amount.to_string(), text));
        };
        match limits.get(name).copied() {
            Some(limit) if amount != limit && !may_exceed => {
                refuse(format!("must be equal to {name} limit of {limit}"));
            }
            Some(limit) if amount > limit => {
                refuse(format!("must be less than or equal to {name} limit of {limit}"));
            }
            None if !may_exceed => {
                let text = "Limit must be set for non overcommitable resources";
                errors.push(FieldError::required(format!("{place}.limits"), text));
            }
            _ => {}
        }
    }
    let names: Vec<&str> = amounts("limits").chain(amounts("requests")).map(|(name, _)| name).collect();
    let has_huge_pages = names.iter().any(|name| name.starts_with(HUGE_PAGES));
    if has_huge_pages && !names.iter().any(|name| matches!(*name, "cpu" | "memory")) {
        errors.push(FieldError::forbidden(place, "HugePages require cpu or memory"));
    }
    errors
}

/// Whether a resource is one of Kubernetes itself.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn validate_amount(name: &str, amount: Quantity, place: &str, errors: &mut Vec<FieldError>) {
    push_all(errors, place, name, qualified_name(name));
    let is_of_container = OF_CONTAINERS.contains(&name) || name.starts_with(HUGE_PAGES);
    let is_extended = !is_native(name) && !name.starts_with("requests.");
    if !name.contains('/') {
        let own = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits.")).unwrap_or(name);
        let is_standard = is_of_container
            || is_counted(name)
            || OF_CONTAINERS.contains(&own)
            || matches!(name, "storage" | "requests.storage");
        if !is_standard {
            let text = "must be a standard resource type or fully qualified";
            errors.push(FieldError::invalid_text(place, name, text));
        }
        if !is_of_container {
            errors.push(FieldError::invalid_text(place, name, "must be a standard resource for containers"));
        }
    } else if !is_native(name) && !is_extended {
        errors.push(FieldError::invalid_text(place, name, "doesn't follow extended resource name standard"));
    }
    let mut refuse = |text: String| {
        let value = format!("{:?}", amount.to_string());
        errors.push(FieldError::new(place, FieldReason::Invalid, value, text));
    };
    if amount.sign() < 0 {
        refuse("must be greater than or equal to 0".to_owned());
    }
    if (is_extended || is_counted(name)) && amount.as_whole().is_none() {
        refuse("must be an integer".to_owned());
    }
    if let Some(size) = name.strip_prefix(HUGE_PAGES) {
        let size = Quantity::parse(size).ok().map(|size| size.units()).filter(|size| *size > 0);
        if size.is_none_or(|size| amount.units() % size != 0) {
            refuse(format!("{amount} is not positive integer multiple of {name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn resources_are_refused_with_the_texts_of_the_api_server() {
        let cases = [
            (
                json!({"requests": {"cpu": "1", "nvidia.com/gpu": "1"}, "limits": {"cpu": "2", "nvidia.com/gpu": "1"}}),
                vec![],
            ),
            (
                json!({"requests": {"cpu": "2"}, "limits": {"cpu": "1500m"}}),
                vec![
                    "c.resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1500m",
                ],
            ),
            (
                json!({"requests": {"memory": "-1"}}),
                vec![
                    "c.resources.requests[memory]: Invalid value: \"-1\": must be greater than or equal to 0",
                ],
            ),
            (
                json!({"limits": {"gpu": "1"}}),
                vec![
                    "c.resources.limits[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully qualified",
                    "c.resources.limits[gpu]: Invalid value: \"gpu\": must be a standard resource for containers",
                ],
            ),
            (
                json!({"requests": {"nvidia.com/gpu": "500m"}}),
                vec![
                    "c.resources.requests[nvidia.com/gpu]: Invalid value: \"500m\": must be an integer",
                    "c.resources.limits: Required value: Limit must be set for non overcommitable resources",
                ],
            ),
            (
                json!({"limits": {"hugepages-2Mi": "3Mi"}}),
                vec![
                    "c.resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer multiple of hugepages-2Mi",
                    "c.resources: Forbidden: HugePages require cpu or memory",
                ],
            ),
        ];
        for (resources, expected) in cases {
            let errors = validate_resources(&json!({"resources": resources}), "c");
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(texts, expected, "{resources}");
        }
    }
}
