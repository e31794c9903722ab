//! What catalogd says in the status of a ClusterCatalog.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Moment, SECOND};
use serde_json::json;

use crate::conditions::{self, Condition};
use crate::content::PullError;

const PROGRESSING: &str = "Progressing";
const SERVING: &str = "Serving";
const UNAVAILABLE: &str = "Catalog availability mode is set to Unavailable";

/// What is served.
pub(super) struct Served {
    /// The image with its digest.
    pub(super) canonical: String,
    /// Where clients find the content.
    pub(super) url: String,
    /// When the image was unpacked.
    pub(super) unpacked_at: Moment,
}

/// How unpacking went.
pub(super) fn progressing(catalog: &mut Object, error: Option<&PullError>, now: Moment) {
    let condition = match error {
        None => Condition::new(
            PROGRESSING,
            "True",
            "Succeeded",
            "Successfully unpacked and stored content from resolved source",
        ),
        Some(error) if error.is_terminal => Condition::new(PROGRESSING, "False", "Blocked", &error.message),
        Some(error) => Condition::new(PROGRESSING, "True", "Retrying", &error.message),
    };
    conditions::set(catalog, &condition, now);
}

/// Content is served.
pub(super) fn serving(catalog: &mut Object, served: &Served, now: Moment) {
    let seconds = Moment(served.unpacked_at.0 / SECOND * SECOND);
    catalog.set(&["status", "resolvedSource"], json!({"type": "Image", "image": {"ref": served.canonical}}));
    catalog.set(&["status", "urls"], json!({"base": served.url}));
    catalog.set(&["status", "lastUnpacked"], seconds.to_string());
    let text = "Serving desired content from resolved source";
    conditions::set(catalog, &Condition::new(SERVING, "True", "Available", text), now);
}

/// The user does not want the catalog to be served.
pub(super) fn user_specified_unavailable(catalog: &mut Object, now: Moment) {
    clear(catalog);
    conditions::set(catalog, &Condition::new(PROGRESSING, "True", "Succeeded", UNAVAILABLE), now);
    conditions::set(catalog, &Condition::new(SERVING, "False", "UserSpecifiedUnavailable", UNAVAILABLE), now);
}

/// The catalog is on its way out.
pub(super) fn not_serving(catalog: &mut Object, now: Moment) {
    clear(catalog);
    conditions::set(catalog, &Condition::new(SERVING, "False", "Unavailable", ""), now);
}

fn clear(catalog: &mut Object) {
    for field in ["resolvedSource", "urls", "lastUnpacked"] {
        catalog.remove(&["status", field]);
    }
}
