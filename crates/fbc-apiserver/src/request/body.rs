//! Bodies: JSON, YAML and protocol buffers to values, with limits. [`decode_body`] is the only way in.

use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::schema::strict::duplicate_fields;
use fbc_go::json::read_value;
use fbc_yaml::stream::Fault;
use serde_json::Value;

use super::protobuf;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFormat {
    /// JSON
    Json,
    /// YAML, which includes JSON.
    Yaml,
    /// Protocol buffers, of built-in kinds alone.
    Protobuf,
}

impl BodyFormat {
    /// The format of an object by its media type; JSON where none is given.
    ///
    /// # Errors
    /// The refusal of the API server.
    pub fn of_object(content_type: &str) -> Result<Self, ApiError> {
        match content_type {
            "" | "*/*" | "application/json" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            "application/vnd.kubernetes.protobuf" => Ok(Self::Protobuf),
            _ => Err(unsupported(&OBJECTS)),
        }
    }
}

/// The forms of objects.
const OBJECTS: [&str; 3] = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/// The refusal of a media type.
pub(crate) fn unsupported(accepted: &[&str]) -> ApiError {
    let text = format!(
        "the body of the request was in an unknown format - accepted media types include: {}",
        accepted.join(", ")
    );
    ApiError::other(Reason::UnsupportedMediaType, text)
}

/// Reads a body, and answers with the paths of fields that are written twice as well.
///
/// # Errors
/// What is wrong with the text.
pub fn decode_body(body: &[u8], format: BodyFormat) -> Result<(Value, Vec<String>), ApiError> {
    if format == BodyFormat::Protobuf {
        return match protobuf::decode(body) {
            Ok(Some(value)) => Ok((value, Vec::new())),
            Ok(None) => Err(unsupported(&["application/json", "application/yaml"])),
            Err(text) => Err(ApiError::bad_request(text)),
        };
    }
    let text = std::str::from_utf8(body)
        .map_err(|_| ApiError::bad_request("the object provided is unrecognized: it is not valid UTF-8"))?;
    match format {
        BodyFormat::Json => match read_value(text) {
            Ok(value) => Ok((value, duplicate_fields(text))),
            Err(error) => {
                Err(ApiError::bad_request(format!("couldn't get version/kind; json parse error: {error}")))
            }
        },
        BodyFormat::Yaml | BodyFormat::Protobuf => {
            let json = yaml_to_json(text)?;
            let value = read_value(&json).map_err(|error| yaml_fault(&error.to_string()))?;
            Ok((value, Vec::new()))
        }
    }
}

fn yaml_fault(text: &str) -> ApiError {
    ApiError::bad_request(format!("error decoding YAML: {text}"))
}

/// The first document of a YAML text as JSON.
fn yaml_to_json(text: &str) -> Result<String, ApiError> {
    let convert =
        |document: fbc_yaml::Document| Ok::<_, String>(fbc_yaml::json_writer::compact(document.root()));
    let first = fbc_yaml::stream::read(text.as_bytes(), &convert).into_iter().next();
    match first.map(|decoded| decoded.outcome) {
        Some(Ok(json)) => Ok(json),
        Some(Err(Fault::Malformed { message, .. } | Fault::Rejected(message))) => Err(yaml_fault(&message)),
        Some(Err(Fault::Separator { rest, .. })) => {
            Err(yaml_fault(&format!("invalid document separator: {rest}")))
        }
        None => Ok("null".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_or_refused() {
        let read = |text: &str, format| decode_body(text.as_bytes(), format);
        assert_eq!(read("{\"a\":1,\"a\":2}", BodyFormat::Json).map(|(_, twice)| twice), Ok(vec!["a".into()]));
        assert_eq!(
            read("a: {b: 1}\n", BodyFormat::Yaml).map(|(value, _)| value),
            Ok(serde_json::json!({"a": {"b": 1}}))
        );
        let deep = format!("{}{}", "[".repeat(10_001), "]".repeat(10_001));
        for (text, format) in [("{", BodyFormat::Json), ("a: [", BodyFormat::Yaml), (&deep, BodyFormat::Json)]
        {
            assert_eq!(read(text, format).map_err(|error| error.code()), Err(400), "{text}");
        }
        assert_eq!(BodyFormat::of_object("text/plain").map_err(|one| one.code()), Err(415));
    }
}
