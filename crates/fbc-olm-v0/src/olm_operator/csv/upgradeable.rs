//! Whether an operator lets itself be replaced.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operatorconditions.go`.

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use crate::look_error::{LookError, fail};
use crate::names::{GROUP, OPERATOR_CONDITION};

const TYPE: &str = "Upgradeable";

/// Asks the OperatorCondition of a ClusterServiceVersion. Shows V0-113.
///
/// # Errors
/// Why it is not to be replaced.
pub fn check(api: &ApiServer, version: &Object) -> Result<(), LookError> {
    let Some(condition) = api.find(GROUP, OPERATOR_CONDITION, &version.object_name()) else { return Ok(()) };
    let of_type = |list: &'static [&'static str]| -> Option<&Value> {
        condition.list(list).iter().find(|one| one["type"] == TYPE)
    };
    let refuse = |why: &Value| fail(format!("the operator is not upgradeable: {}", why.text(&["message"])));
    if let Some(override_) = of_type(&["spec", "overrides"]) {
        return if override_["status"] == "True" { Ok(()) } else { refuse(override_) };
    }
    let Some(status) = of_type(&["status", "conditions"]) else { return Ok(()) };
    if status.number(&["observedGeneration"]).unwrap_or_default() != condition.generation() {
        let value = status.text(&["status"]);
        return fail(format!("the operatorcondition status {TYPE:?}={value:?} is outdated"));
    }
    if status["status"] == "False" { refuse(status) } else { Ok(()) }
}
