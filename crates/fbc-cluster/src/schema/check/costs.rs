//! What the rules of a definition may cost, as far as its schemas limit what they go through.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/{validation,cel_validation}.go`.

use serde_json::Value;

use crate::error::FieldError;
use crate::object::ObjectFields;
use crate::schema::path::Path;

/// How much one expression may cost (`StaticEstimatedCostLimit`).
const MOST_OF_ONE: u64 = 10_000_000;
/// How much all expressions of a schema may cost (`StaticEstimatedCRDCostLimit`).
const MOST_OF_ALL: u64 = 100_000_000;
/// How many of the most expensive expressions are named.
const NAMED: usize = 4;

/// The costs of the expressions of a schema.
#[derive(Default)]
pub(super) struct Costs {
    total: u64,
    /// Those with a hundredth of what all may cost, and their fields.
    large: Vec<(u64, String)>,
}

impl Costs {
    pub(super) fn extend(&mut self, other: Self) {
        self.total = self.total.saturating_add(other.total);
        self.large.extend(other.large);
    }

    /// Adds the cost of an expression; answers what is wrong with it alone.
    pub(super) fn observe(&mut self, field: String, name: &str, cost: u64) -> Option<FieldError> {
        self.total = self.total.saturating_add(cost);
        let excess = (cost > MOST_OF_ONE).then(|| excess(field.clone(), name, cost, MOST_OF_ONE));
        if cost >= MOST_OF_ALL / 100 {
            self.large.push((cost, field));
        }
        excess
    }

    /// What is wrong with all of them together.
    pub(super) fn excess(mut self, field: &Path<'_>) -> Vec<FieldError> {
        if self.total <= MOST_OF_ALL {
            return Vec::new();
        }
        self.large.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        let detail =
            "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
        let named = self.large.into_iter().take(NAMED).map(|(_, field)| FieldError::forbidden(field, detail));
        let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        named.chain([excess(field.field(), name, self.total, MOST_OF_ALL)]).collect()
    }
}

fn excess(field: String, name: &str, cost: u64, most: u64) -> FieldError {
    #[expect(clippy::cast_precision_loss, reason = "Go divides in the same way")]
    let factor = cost as f64 / most as f64;
    let factor = match factor {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    let detail = format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    );
    FieldError::forbidden(field, detail)
}

/// How often a part of a place is there at most; nothing if there is no limit.
pub(super) fn most_parts(schema: &Value) -> Option<u64> {
    let limit = |name: &str| schema.number(&[name]).map(|limit| u64::try_from(limit).unwrap_or(0));
    match schema.text(&["type"]) {
        "object" if schema.given(&["additionalProperties"]).is_some() => limit("maxProperties"),
        "array" => limit("maxItems"),
        _ => Some(1),
    }
}
