//! Questions about access and identity, which are posted and answered at once.
//!
//! Sources: `kubernetes/kubernetes:pkg/registry/{authorization,authentication}`.

use fbc_cluster::access::{Attributes, User};
use fbc_cluster::error::{ApiError, FieldError, FieldReason};
use fbc_cluster::object::ObjectFields;
use http::Method;
use serde_json::{Value, json};

use crate::actor::{Actor, Identity};
use crate::answer::{Answer, Content};
use crate::discovery::REVIEWS;
use crate::request::{BodyFormat, Request, Resource, decode_body};
use crate::resources::method_not_allowed;

impl Actor<'_> {
    /// The answer to a review; nothing if the path means something else.
    pub(crate) fn review(
        &self,
        request: &Request,
        identity: &Identity,
        place: &Resource,
    ) -> Result<Option<Answer>, ApiError> {
        let is_meant = |review: &&(&str, &str, &str, bool)| {
            review.0 == place.group && review.1 == place.resource && place.version == "v1"
        };
        let Some((group, resource, kind, _)) = REVIEWS.iter().find(is_meant) else { return Ok(None) };
        let attributes = Attributes::Resource {
            verb: if request.method == Method::POST { "create" } else { "get" },
            group,
            resource,
            subresource: "",
            namespace: &place.namespace,
            name: "",
        };
        self.check(identity, attributes)?;
        if request.method != Method::POST || !place.name.is_empty() {
            return Err(method_not_allowed());
        }
        let (mut review, _) = decode_body(&request.body, BodyFormat::of_object(&request.content_type)?)?;
        if !review.kind().is_empty() && review.kind() != *kind {
            return Err(ApiError::bad_request(format!("{} cannot be handled as a {kind}", review.kind())));
        }
        if *kind == "LocalSubjectAccessReview" {
            check_namespace(&review, group, place)?;
        }
        let status = match *kind {
            "SelfSubjectReview" => json!({"userInfo": identity.user.to_json()}),
            "TokenReview" => self.token_review(&review),
            "SelfSubjectRulesReview" => {
                self.rules_review(&identity.user, review.text(&["spec", "namespace"]))
            }
            "SelfSubjectAccessReview" => self.access_review(&identity.user, &review["spec"]),
            _ => self.access_review(&subject(&review["spec"]), &review["spec"]),
        };
        review.set(&["kind"], *kind);
        review.set(&["apiVersion"], format!("{group}/v1"));
        review.set(&["metadata", "creationTimestamp"], Value::Null);
        review.set(&["status"], status);
        Ok(Some(Answer::new(201, Content::Json(review))))
    }

    fn access_review(&self, user: &User, spec: &Value) -> Value {
        let text = |field: &str| spec.text(&["resourceAttributes", field]);
        let attributes = match spec.get("nonResourceAttributes").filter(|value| value.is_object()) {
            Some(attributes) => {
                Attributes::Path { verb: attributes.text(&["verb"]), path: attributes.text(&["path"]) }
            }
            None => Attributes::Resource {
                verb: text("verb"),
                group: text("group"),
                resource: text("resource"),
                subresource: text("subresource"),
                namespace: text("namespace"),
                name: text("name"),
            },
        };
        let decision = self.cluster.api.authorizer().decide(user, attributes);
        let mut status = json!({"allowed": decision.allowed});
        if !decision.reason.is_empty() {
            status["reason"] = decision.reason.into();
        }
        status
    }

    fn rules_review(&self, user: &User, namespace: &str) -> Value {
        let (rules, missing) = self.cluster.api.authorizer().rules_for(user, namespace);
        let (mut resources, mut paths) = (Vec::new(), Vec::new());
        if user.is_master() {
            resources.push(json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}));
            paths.push(json!({"verbs": ["*"], "nonResourceURLs": ["*"]}));
        }
        for rule in rules {
            if !rule.non_resource_urls.is_empty() {
                paths.push(json!({"verbs": rule.verbs, "nonResourceURLs": rule.non_resource_urls}));
                continue;
            }
            let mut value =
                json!({"verbs": rule.verbs, "apiGroups": rule.api_groups, "resources": rule.resources});
            if !rule.resource_names.is_empty() {
                value["resourceNames"] = json!(rule.resource_names);
            }
            resources.push(value);
        }
        let mut status =
            json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": !missing.is_empty()});
        if !missing.is_empty() {
            status["evaluationError"] = missing.join(", ").into();
        }
        status
    }

    fn token_review(&self, review: &Value) -> Value {
        let audiences: Vec<String> =
            review.list(&["spec", "audiences"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
        match self.settings.tokens.user_of(review.text(&["spec", "token"]), &audiences, &self.cluster.api) {
            Ok(found) => json!({
                "authenticated": true, "user": found.user.to_json(), "audiences": found.audiences,
            }),
            Err(error) => json!({"authenticated": false, "user": {}, "error": error.to_string()}),
        }
    }
}

/// The user that somebody else asks about; unlike users who ask for themselves it has the groups that are named alone.
fn subject(spec: &Value) -> User {
    let groups = spec.list(&["groups"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    User { name: spec.text(&["user"]).to_owned(), groups, ..User::default() }
}

/// Refuses a local review that asks about something outside the namespace in which it is allowed.
///
/// Sources: `kubernetes/kubernetes:pkg/registry/authorization/localsubjectaccessreview/rest.go`,
/// `…/pkg/apis/authorization/validation/validation.go`.
fn check_namespace(review: &Value, group: &str, place: &Resource) -> Result<(), ApiError> {
    let own = review.text(&["metadata", "namespace"]);
    if !own.is_empty() && own != place.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let mut causes = Vec::new();
    if let Some(attributes) = review.given(&["spec", "resourceAttributes"])
        && attributes.text(&["namespace"]) != place.namespace
    {
        let (field, asked) = ("spec.resourceAttributes.namespace", attributes.text(&["namespace"]));
        causes.push(FieldError::invalid_text(field, asked, "must match metadata.namespace"));
    }
    if let Some(attributes) = review.given(&["spec", "nonResourceAttributes"]) {
        let text = "disallowed on this kind of request";
        let value = attributes.to_string();
        causes.push(FieldError::new("spec.nonResourceAttributes", FieldReason::Invalid, value, text));
    }
    if causes.is_empty() {
        Ok(())
    } else {
        Err(ApiError::invalid(group, "LocalSubjectAccessReview", "", causes))
    }
}
