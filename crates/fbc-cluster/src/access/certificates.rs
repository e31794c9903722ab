//! Requests for certificates: who may approve and sign those of a signer, and whom none may name.
//!
//! Sources: `kubernetes/kubernetes:plugin/pkg/admission/certificates/{approval,signing,subjectrestriction}/admission.go`,
//! `…/pkg/certauthorization/certauthorization.go`.

use fbc_go::base64;
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::pem::parse_x509_pem;
use x509_parser::prelude::FromDer as _;

use super::authorizer::Authorizer;
use super::user::{Attributes, MASTERS};
use super::writes::Write;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

/// The signer of certificates that clients show to the API server.
const CLIENTS: &str = "kubernetes.io/kube-apiserver-client";

/// Refuses an approval or a denial by somebody who may not `approve` for the signer.
///
/// # Errors
/// The API server's refusal: 403.
pub(super) fn check_approval(write: &Write<'_>, authorizer: &Authorizer) -> Result<(), ApiError> {
    // The signer is that of what is stored, whatever the request says.
    let signer = signer(write.before.unwrap_or(write.object));
    if may(write, authorizer, "approve", signer) {
        return Ok(());
    }
    Err(write.forbidden(&format!("user not permitted to approve requests with signerName {signer:?}")))
}

/// Refuses a certificate or conditions from somebody who may not `sign` for the signer.
///
/// # Errors
/// The API server's refusal: 403.
pub(super) fn check_signing(write: &Write<'_>, authorizer: &Authorizer) -> Result<(), ApiError> {
    let signer = signer(write.before.unwrap_or(write.object));
    let same = |field: &str| {
        let path = ["status", field];
        write.before.and_then(|before| before.given(&path)) == write.object.given(&path)
    };
    if same("certificate") && same("conditions") || may(write, authorizer, "sign", signer) {
        return Ok(());
    }
    Err(write.forbidden(&format!("user not permitted to sign requests with signerName {signer:?}")))
}

/// Refuses a new request for a certificate of a client that may do everything.
///
/// # Errors
/// The API server's refusal: 403.
pub(super) fn check_subject(write: &Write<'_>) -> Result<(), ApiError> {
    if write.before.is_some() || signer(write.object) != CLIENTS {
        return Ok(());
    }
    let organizations = organizations(write.object)
        .map_err(|fault| write.forbidden(&format!("failed to parse CSR: {fault}")))?;
    if organizations.iter().any(|group| group == MASTERS) {
        let text = format!("use of {CLIENTS} signer with {MASTERS} group is not allowed");
        return Err(write.forbidden(&text));
    }
    Ok(())
}

fn signer(request: &Object) -> &str {
    request.text(&["spec", "signerName"])
}

/// Whether the writer may do something for a signer, or for all signers of its domain.
fn may(write: &Write<'_>, authorizer: &Authorizer, verb: &str, signer: &str) -> bool {
    let domain = format!("{}/*", signer.split('/').next().unwrap_or_default());
    [signer, &domain].into_iter().any(|name| {
        let attributes = Attributes::Resource {
            verb,
            group: &write.kind.group,
            resource: "signers",
            subresource: "",
            namespace: "",
            name,
        };
        authorizer.allows(write.user, attributes)
    })
}

/// A request that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum RequestFault {
    #[error("PEM block type must be CERTIFICATE REQUEST")]
    Form,
    #[error("x509: malformed certificate request")]
    Content,
}

/// The organizations in the subject of a request, which become groups.
fn organizations(request: &Object) -> Result<Vec<String>, RequestFault> {
    let text = base64::decode(request.text(&["spec", "request"])).map_err(|_| RequestFault::Form)?;
    let (_, block) = parse_x509_pem(&text).map_err(|_| RequestFault::Form)?;
    if block.label != "CERTIFICATE REQUEST" {
        return Err(RequestFault::Form);
    }
    let (_, parsed) =
        X509CertificationRequest::from_der(&block.contents).map_err(|_| RequestFault::Content)?;
    let subject = &parsed.certification_request_info.subject;
    // A name of another encoding than UTF-8 still names a group.
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    Ok(subject.iter_organization().map(|group| text(group.as_slice())).collect())
}
