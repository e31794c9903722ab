//! Tokens on request.
//!
//! Source: `kubernetes/kubernetes:pkg/registry/core/serviceaccount/storage/token.go`.

use fbc_cluster::api::Caller;
use fbc_cluster::error::{ApiError, FieldError, FieldReason};
use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::{ObjectFields, ObjectName};
use fbc_cluster::time::{Moment, SECOND};
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::answer::{Answer, Content};
use crate::authentication::{Bound, Claims, ISSUER};
use crate::request::{BodyFormat, Request, decode_body};
use crate::served_resource::ServedResource;

/// Seconds that a token holds for which no time is named.
const LASTS: i64 = 3600;
/// The shortest time that may be named.
const SHORTEST: i64 = 600;
/// The longest time that may be named.
const LONGEST: i64 = 1 << 32;

impl Actor<'_> {
    pub(super) fn token(
        &mut self,
        request: &Request,
        _: &Caller,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let (mut asked, _) = decode_body(&request.body, BodyFormat::of_object(&request.content_type)?)?;
        let name = resource.name();
        let missing = || ApiError::not_found("", "serviceaccounts", &name.name);
        let account = self.cluster.api.store().get(resource.id, &name).cloned().ok_or_else(missing)?;
        let seconds = asked.number(&["spec", "expirationSeconds"]).unwrap_or(LASTS);
        let limits = [
            (seconds < SHORTEST, "may not specify a duration less than 10 minutes"),
            (seconds > LONGEST, "may not specify a duration larger than 2^32 seconds"),
        ];
        if let Some((_, text)) = limits.iter().find(|(is_broken, _)| *is_broken) {
            let cause =
                FieldError::new("spec.expirationSeconds", FieldReason::Invalid, seconds.to_string(), *text);
            return Err(ApiError::invalid("authentication.k8s.io", "TokenRequest", "", vec![cause]));
        }
        let mut audiences: Vec<String> =
            asked.list(&["spec", "audiences"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if audiences.is_empty() {
            audiences.push(ISSUER.to_owned());
        }
        let bound = self.bound_object(&asked, &name)?;
        let claims = Claims {
            account: name,
            uid: account.uid().to_owned(),
            audiences: audiences.clone(),
            seconds: u64::try_from(seconds).unwrap_or_default(),
            bound,
        };
        let (token, end) = self.settings.tokens.issue(&claims, &self.cluster.api);
        asked.set(&["kind"], "TokenRequest");
        asked.set(&["apiVersion"], "authentication.k8s.io/v1");
        asked.set(&["metadata", "name"], resource.place.name.as_str());
        asked.set(&["metadata", "namespace"], resource.place.namespace.as_str());
        asked.set(&["metadata", "creationTimestamp"], self.cluster.now().to_string());
        asked.set(&["spec", "audiences"], audiences);
        asked.set(&["spec", "expirationSeconds"], seconds);
        let end = Moment(end * SECOND).to_string();
        asked.set(&["status"], json!({"token": token, "expirationTimestamp": end}));
        Ok(Answer::new(201, Content::Json(asked)))
    }

    /// The object that a token is to be bound to.
    fn bound_object(&self, asked: &Value, account: &ObjectName) -> Result<Option<Bound>, ApiError> {
        let Some(reference) = asked.at(&["spec", "boundObjectRef"]).filter(|value| value.is_object()) else {
            return Ok(None);
        };
        let (kind, name) = (reference.text(&["kind"]), reference.text(&["name"]));
        let wanted = GroupVersionKind::of(reference.api_version(), kind);
        if !wanted.group.is_empty() || !["Pod", "Secret", "Node"].contains(&kind) {
            let (group, version) = (wanted.group, wanted.version);
            let text = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            return Err(ApiError::bad_request(text));
        }
        let namespace = if kind == "Node" { "" } else { account.namespace.as_str() };
        let plural = format!("{}s", kind.to_lowercase());
        let missing = || ApiError::not_found("", &plural, name);
        let object =
            self.cluster.api.find("", kind, &ObjectName::namespaced(namespace, name)).ok_or_else(missing)?;
        if kind == "Pod" && object.text(&["spec", "serviceAccountName"]) != account.name {
            return Err(ApiError::bad_request(format!(
                "cannot bind token for serviceaccount {:?} to pod running with different serviceaccount name.",
                account.name
            )));
        }
        let uid = reference.text(&["uid"]);
        if !uid.is_empty() && uid != object.uid() {
            let cause = format!(
                "the UID in the bound object reference ({uid}) does not match the UID in record ({}). The object might \
                 have been deleted and then recreated",
                object.uid()
            );
            return Err(ApiError::conflict("", kind, name, &cause));
        }
        Ok(Some(Bound { kind: kind.to_owned(), name: name.to_owned(), uid: object.uid().to_owned() }))
    }
}
