//! Limit ranges: what containers ask for that say nothing, and what pods and claims may ask for.
//!
//! Source: `kubernetes/kubernetes:plugin/pkg/admission/limitranger/admission.go`. Where several limits are broken, the
//! reference tells them in any order; here it is that of the resources' names.

use std::cmp::Ordering;

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::amounts::{Amounts, of_pod, read};
use super::shown_name;
use crate::budget::{MOST_OBJECT_BYTES, Size, TooLarge};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

/// The annotation that tells what a range set.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Fills in the defaults of a range: of limits from the maximum, of requests from the default limits and the minimum.
///
/// Source: `kubernetes/kubernetes:pkg/apis/core/v1/defaults.go` (`SetDefaults_LimitRangeItem`).
pub(crate) fn complete(range: &mut Object) {
    let Value::Array(items) = range.place(&["spec", "limits"]) else { return };
    for item in items.iter_mut().filter(|item| item.text(&["type"]) == "Container") {
        for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
            let source = item.at(&[from]).and_then(Value::as_object).cloned().unwrap_or_default();
            for (resource, amount) in source {
                if item.at(&[to, &resource]).is_none() {
                    item.set(&[to, &resource], amount);
                }
            }
        }
    }
}

/// Gives the containers of a new pod the defaults of the ranges in its namespace.
///
/// # Errors
/// Containers and defaults multiply to more than an object may have.
pub(crate) fn set_defaults(pod: &mut Object, ranges: &[&Object]) -> Result<(), TooLarge> {
    let mut room = MOST_OBJECT_BYTES;
    let mut notes = Vec::new();
    for range in ranges {
        for (list, what) in [("containers", "container"), ("initContainers", "init container")] {
            let Value::Array(containers) = pod.place(&["spec", list]) else { continue };
            for container in containers {
                for (part, default) in [("requests", "defaultRequest"), ("limits", "default")] {
                    let mut added = Vec::new();
                    for item in range
                        .list(&["spec", "limits"])
                        .iter()
                        .filter(|item| item.text(&["type"]) == "Container")
                    {
                        for (resource, amount) in
                            item.at(&[default]).and_then(Value::as_object).into_iter().flatten()
                        {
                            // Quantities are short, and what is looked up costs as well as what is added.
                            let bytes = resource.len() as u64 + Size::of(amount).json;
                            room = room.checked_sub(bytes).ok_or(TooLarge)?;
                            if container.at(&["resources", part, resource]).is_none() {
                                container.set(&["resources", part, resource], amount.clone());
                                added.push(resource.as_str());
                            }
                        }
                    }
                    if !added.is_empty() {
                        added.sort_unstable();
                        let part = part.trim_end_matches('s');
                        notes.push(format!(
                            "{} {part} for {what} {}",
                            added.join(", "),
                            container.text(&["name"])
                        ));
                    }
                }
            }
        }
    }
    if !notes.is_empty() {
        let text = format!("LimitRanger plugin set: {}", notes.join("; "));
        pod.set(&["metadata", "annotations", ANNOTATION], text);
    }
    Ok(())
}

/// Checks a pod or a claim against the ranges in its namespace.
///
/// # Errors
/// The refusal of the API server, with all limits of the first range that is broken.
pub(crate) fn check(object: &Object, plural: &str, ranges: &[&Object]) -> Result<(), ApiError> {
    for range in ranges {
        let mut broken = Vec::new();
        for item in range.list(&["spec", "limits"]) {
            match (item.text(&["type"]), plural) {
                ("Container", "pods") => {
                    for container in
                        ["containers", "initContainers"].iter().flat_map(|list| object.list(&["spec", list]))
                    {
                        let part = |part: &str| read(container.at(&["resources", part]));
                        broken.extend(faults(item, &part("requests"), &part("limits"), false));
                    }
                }
                ("Pod", "pods") => {
                    broken.extend(faults(
                        item,
                        &of_pod(object, "requests"),
                        &of_pod(object, "limits"),
                        false,
                    ));
                }
                ("PersistentVolumeClaim", "persistentvolumeclaims") => {
                    let requests = read(object.at(&["spec", "resources", "requests"]));
                    broken.extend(faults(item, &requests, &Amounts::new(), true));
                }
                _ => {}
            }
        }
        let cause = match broken.as_slice() {
            [] => continue,
            [only] => only.clone(),
            all => format!("[{}]", all.join(", ")),
        };
        return Err(ApiError::forbidden("", plural, shown_name(object), &cause));
    }
    Ok(())
}

/// What is below the minimum, above the maximum, or has too much room between request and limit.
fn faults(item: &Value, requests: &Amounts, limits: &Amounts, requests_only: bool) -> Vec<String> {
    let of = item.text(&["type"]);
    let mut faults = Vec::new();
    let is_over = |amount: Option<&Quantity>, bound: &Quantity, order: Ordering| {
        amount.copied().filter(|amount| amount.cmp(bound) == order)
    };
    for (resource, bound) in read(item.at(&["min"])) {
        let begin = format!("minimum {resource} usage per {of} is {bound}");
        let (request, limit) = (requests.get(&resource), limits.get(&resource));
        if request.is_none() {
            faults.push(format!("{begin}.  No request is specified"));
        } else if let Some(request) = is_over(request, &bound, Ordering::Less) {
            faults.push(format!("{begin}, but request is {request}"));
        } else if let Some(limit) = is_over(limit, &bound, Ordering::Less) {
            faults.push(format!("{begin}, but limit is {limit}"));
        }
    }
    for (resource, bound) in read(item.at(&["max"])) {
        let begin = format!("maximum {resource} usage per {of} is {bound}");
        let (request, limit) = (requests.get(&resource), limits.get(&resource));
        if requests_only && request.is_none() {
            faults.push(format!("{begin}.  No request is specified"));
        } else if !requests_only && limit.is_none() {
            faults.push(format!("{begin}.  No limit is specified"));
        } else if let Some(limit) = is_over(limit, &bound, Ordering::Greater) {
            faults.push(format!("{begin}, but limit is {limit}"));
        } else if let Some(request) = is_over(request, &bound, Ordering::Greater) {
            faults.push(format!("{begin}, but request is {request}"));
        }
    }
    for (resource, most) in read(item.at(&["maxLimitRequestRatio"])) {
        let begin = format!("{resource} max limit to request ratio per {of} is {most}");
        let amount = |amounts: &Amounts| amounts.get(&resource).filter(|amount| amount.sign() != 0).copied();
        match (amount(requests), amount(limits)) {
            (None, _) => faults.push(format!("{begin}, but no request is specified or request is 0")),
            (_, None) => faults.push(format!("{begin}, but no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                let ratio = limit.as_double() / request.as_double();
                if ratio > most.as_double() {
                    faults.push(format!("{begin}, but provided ratio is {ratio:.6}"));
                }
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(resources: Value) -> Object {
        json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "resources": resources}]}})
    }

    fn range(item: Value) -> Object {
        let mut range = json!({"spec": {"limits": [item]}});
        complete(&mut range);
        range
    }

    #[test]
    fn containers_that_say_nothing_get_the_defaults() {
        let range = range(json!({"type": "Container", "max": {"cpu": "2"}, "default": {"memory": "1Gi"}}));
        let mut pod = pod(json!({"requests": {"cpu": "1"}}));
        assert_eq!(set_defaults(&mut pod, &[&range]), Ok(()));
        assert_eq!(
            pod["spec"]["containers"][0]["resources"],
            json!({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}})
        );
        assert_eq!(
            pod.annotation(ANNOTATION),
            Some("LimitRanger plugin set: memory request for container c; cpu, memory limit for container c")
        );
    }

    #[test]
    fn containers_and_defaults_do_not_multiply_without_end() {
        let range = range(json!({"type": "Container", "default": {"memory": "1".repeat(1_000)}}));
        let mut pod = pod(json!({}));
        pod["spec"]["containers"] = json!(vec![json!({"name": "c"}); 10_000]);
        assert_eq!(set_defaults(&mut pod, &[&range]), Err(TooLarge));
        let filled =
            pod["spec"]["containers"].as_array().unwrap().iter().filter(|one| one.get("resources").is_some());
        assert_eq!(filled.count() as u64, MOST_OBJECT_BYTES / 1_008 / 2);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        let forbidden = |text: &str| Err(format!("pods \"p\" is forbidden: {text}"));
        for (item, resources, expected) in [
            (json!({"type": "Container", "max": {"cpu": "2"}}), json!({"limits": {"cpu": "2000m"}}), Ok(())),
            (
                json!({"type": "Container", "max": {"cpu": "2"}}),
                json!({"limits": {"cpu": "3"}}),
                forbidden("maximum cpu usage per Container is 2, but limit is 3"),
            ),
            (
                json!({"type": "Container", "min": {"memory": "64Mi"}}),
                json!({"requests": {"memory": "1Mi"}}),
                forbidden("minimum memory usage per Container is 64Mi, but request is 1Mi"),
            ),
            (
                json!({"type": "Pod", "max": {"cpu": "1", "memory": "1Gi"}}),
                json!({"limits": {"cpu": "2"}}),
                forbidden(
                    "[maximum cpu usage per Pod is 1, but limit is 2, \
                     maximum memory usage per Pod is 1Gi.  No limit is specified]",
                ),
            ),
            (
                json!({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}),
                json!({"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}),
                forbidden(
                    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
                ),
            ),
        ] {
            let found = check(&pod(resources), "pods", &[&range(item)]);
            assert_eq!(found.map_err(|error| error.message), expected);
        }
        let claim =
            json!({"metadata": {"name": "c"}, "spec": {"resources": {"requests": {"storage": "2Gi"}}}});
        let limit = range(json!({"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}));
        let text = "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi";
        let error = check(&claim, "persistentvolumeclaims", &[&limit]).map_err(|error| error.message);
        assert_eq!(error, Err(format!("persistentvolumeclaims \"c\" is forbidden: {text}")));
    }
}
