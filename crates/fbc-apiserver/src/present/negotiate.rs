//! What `Accept` asks for.
//!
//! Source: `kubernetes/apiserver:pkg/endpoints/handlers/negotiation/negotiate.go`.

use fbc_cluster::error::{ApiError, Reason};

use super::TextFormat;

/// What a client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// Objects as they are.
    Whole(TextFormat),
    /// Metadata alone, in a version of `meta.k8s.io`.
    Metadata(TextFormat, &'static str),
    /// A table, in a version of `meta.k8s.io`.
    Table(&'static str),
    /// Aggregated discovery, in a version of `apidiscovery.k8s.io`.
    Discovery(&'static str),
}

/// The first of the accepted forms that the server has.
///
/// # Errors
/// None of them is.
pub(crate) fn accepted(accept: &str) -> Result<Accepted, ApiError> {
    if accept.trim().is_empty() {
        return Ok(Accepted::Whole(TextFormat::Json));
    }
    accept.split(',').find_map(one).ok_or_else(|| {
        // Real servers answer 406 with the reason `NotAcceptable`.
        ApiError::other(
            Reason::NotAcceptable,
            "only the following media types are accepted: application/json, application/yaml",
        )
    })
}

fn one(text: &str) -> Option<Accepted> {
    let mut parts = text.split(';').map(str::trim);
    let format = match parts.next()? {
        "application/json" | "*/*" | "application/*" => TextFormat::Json,
        "application/yaml" => TextFormat::Yaml,
        _ => return None,
    };
    let (mut form, mut group, mut version) = ("", "", "");
    for part in parts {
        match part.split_once('=') {
            Some(("as", value)) => form = value,
            Some(("g", value)) => group = value,
            Some(("v", value)) => version = value,
            Some(("profile", _)) => return None,
            _ => {}
        }
    }
    let version = match version {
        "v1" => "v1",
        "v1beta1" => "v1beta1",
        "v2" => "v2",
        "v2beta1" => "v2beta1",
        _ => "",
    };
    match (form, group, version) {
        ("", ..) => Some(Accepted::Whole(format)),
        ("Table", "meta.k8s.io", "v1" | "v1beta1") => Some(Accepted::Table(version)),
        ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1" | "v1beta1") => {
            Some(Accepted::Metadata(format, version))
        }
        ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2" | "v2beta1") => {
            Some(Accepted::Discovery(version))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_form_counts() {
        let json = TextFormat::Json;
        for (accept, expected) in [
            ("", Some(Accepted::Whole(json))),
            ("application/vnd.kubernetes.protobuf, application/json", Some(Accepted::Whole(json))),
            ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", Some(Accepted::Table("v1"))),
            ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", Some(Accepted::Whole(json))),
            ("application/yaml", Some(Accepted::Whole(TextFormat::Yaml))),
            ("application/vnd.kubernetes.protobuf", None),
            ("text/html, */*;q=0.8", Some(Accepted::Whole(json))),
        ] {
            assert_eq!(accepted(accept).ok(), expected, "{accept}");
        }
    }
}
