//! What the query of a request asks for.
//!
//! Source: `kubernetes/apimachinery:pkg/apis/meta/v1/types.go` (`ListOptions`, `CreateOptions`, `DeleteOptions`),
//! `pkg/apis/meta/v1/validation/validation.go`.

use fbc_cluster::api::{DeleteOptions, FieldValidation, Propagation};
use fbc_cluster::error::{ApiError, FieldError, FieldReason};
use fbc_cluster::object::ObjectFields;
use fbc_cluster::selector::{FieldSelector, LabelSelector};
use serde_json::Value;

use super::unescape;

/// Names and values behind `?`.
#[derive(Debug, Clone, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads what follows `?`.
    pub fn read(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (unescape(name), unescape(&value.replace('+', " ")))
        });
        Self(pairs.collect())
    }

    /// The first value of a name, or an empty text.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// All values of a name.
    pub fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// Whether a name is given, and not with a value that means no.
    pub fn flag(&self, name: &str) -> bool {
        let found = self.0.iter().find(|(one, _)| one == name);
        found.is_some_and(|(_, value)| !["false", "0", "f", "F", "False", "FALSE"].contains(&value.as_str()))
    }

    /// A number, if one is given.
    ///
    /// # Errors
    /// It is not a number.
    pub fn number(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(None);
        }
        text.parse()
            .map(Some)
            .map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")))
    }
}

/// How a resource version is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// Nothing is said.
    Unset,
    /// At this version or later.
    NotOlderThan,
    /// At exactly this version.
    Exact,
}

/// What a list or a watch asks for.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// By labels.
    pub labels: LabelSelector,
    /// By fields.
    pub fields: FieldSelector,
    /// The text of the field selector.
    pub field_text: String,
    /// A watch instead of a list.
    pub watch: bool,
    /// Bookmarks are welcome.
    pub bookmarks: bool,
    /// A watch begins with what is there.
    pub initial_events: bool,
    /// At most so many objects.
    pub limit: usize,
    /// Where the last answer ended.
    pub continuation: String,
    /// The resource version.
    pub resource_version: Option<u64>,
    /// How it is meant.
    pub resource_version_match: Match,
    /// A watch ends after so many seconds.
    pub timeout: Option<u64>,
}

impl ListQuery {
    /// Reads the options of a list or a watch.
    ///
    /// # Errors
    /// What the API server refuses.
    pub fn read(query: &Query) -> Result<Self, ApiError> {
        let labels = LabelSelector::parse(query.text("labelSelector"))
            .map_err(|text| ApiError::bad_request(format!("unable to parse requirement: {text}")))?;
        let field_text = query.text("fieldSelector").to_owned();
        let fields =
            FieldSelector::parse(&field_text).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let version_text = query.text("resourceVersion");
        let resource_version = if version_text.is_empty() {
            None
        } else {
            let text = |_| {
                ApiError::bad_request(format!(
                    "invalid resource version {version_text:?}: strconv.ParseUint: parsing {version_text:?}: invalid syntax"
                ))
            };
            Some(version_text.parse().map_err(text)?)
        };
        let resource_version_match = match query.text("resourceVersionMatch") {
            "" => Match::Unset,
            "NotOlderThan" => Match::NotOlderThan,
            "Exact" => Match::Exact,
            other => {
                let error = FieldError::new(
                    "resourceVersionMatch",
                    FieldReason::NotSupported,
                    format!("{other:?}"),
                    "supported values: \"Exact\", \"NotOlderThan\", \"\"",
                );
                return Err(invalid(error));
            }
        };
        let found = Self {
            labels,
            fields,
            field_text,
            watch: query.flag("watch"),
            bookmarks: query.flag("allowWatchBookmarks"),
            initial_events: query.flag("sendInitialEvents"),
            limit: usize::try_from(query.number("limit")?.unwrap_or_default()).unwrap_or_default(),
            continuation: query.text("continue").to_owned(),
            resource_version,
            resource_version_match,
            timeout: query.number("timeoutSeconds")?.and_then(|seconds| u64::try_from(seconds).ok()),
        };
        found.check(!query.text("sendInitialEvents").is_empty())?;
        Ok(found)
    }

    fn check(&self, says_initial_events: bool) -> Result<(), ApiError> {
        let forbidden = |field: &str, text: &str| Err(invalid(FieldError::forbidden(field, text)));
        let has_match = self.resource_version_match != Match::Unset;
        if self.watch {
            if says_initial_events && self.resource_version_match != Match::NotOlderThan {
                return forbidden(
                    "resourceVersionMatch",
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                );
            }
            if says_initial_events && !self.bookmarks && self.initial_events {
                return forbidden("sendInitialEvents", "sendInitialEvents requires allowWatchBookmarks");
            }
            if has_match && !says_initial_events {
                return forbidden(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                );
            }
            return Ok(());
        }
        if says_initial_events {
            return forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
        if has_match && self.resource_version.is_none() {
            return forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            );
        }
        if has_match && !self.continuation.is_empty() {
            return forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden when continue is provided",
            );
        }
        if self.resource_version_match == Match::Exact && self.resource_version == Some(0) {
            return forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"",
            );
        }
        Ok(())
    }

    /// The one name that a field selector asks for, if there is one.
    pub fn single_name(&self) -> Option<&str> {
        let parts = self.field_text.split(',');
        parts
            .filter_map(|part| part.strip_prefix("metadata.name="))
            .map(|name| name.trim_start_matches('='))
            .next()
    }
}

fn invalid(error: FieldError) -> ApiError {
    ApiError::invalid("meta.k8s.io", "ListOptions", "", vec![error])
}

/// What a write asks for.
#[derive(Debug, Clone)]
pub struct WriteQuery {
    /// Answer as if.
    pub dry_run: bool,
    /// The manager of the fields; empty for the one that follows from the program's name.
    pub manager: String,
    /// What becomes of unknown fields.
    pub validation: FieldValidation,
    /// Server-side apply takes fields from others.
    pub force: bool,
}

impl WriteQuery {
    /// Reads the options of a write.
    ///
    /// # Errors
    /// What the API server refuses.
    pub fn read(query: &Query) -> Result<Self, ApiError> {
        let validation = match query.text("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                return Err(ApiError::invalid(
                    "meta.k8s.io",
                    "CreateOptions",
                    "",
                    vec![FieldError::new(
                        "fieldValidation",
                        FieldReason::NotSupported,
                        format!("{other:?}"),
                        "supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
                    )],
                ));
            }
        };
        let manager = query.text("fieldManager").to_owned();
        if manager.len() > 128 {
            let error =
                FieldError::new("fieldManager", FieldReason::TooLong, "", "may not be more than 128 bytes");
            return Err(ApiError::invalid("meta.k8s.io", "CreateOptions", "", vec![error]));
        }
        Ok(Self { dry_run: dry_run(query.all("dryRun"))?, manager, validation, force: query.flag("force") })
    }
}

fn dry_run<'q>(values: impl Iterator<Item = &'q str>) -> Result<bool, ApiError> {
    let mut dry_run = false;
    for value in values.filter(|value| !value.is_empty()) {
        if value != "All" {
            let error = FieldError::new(
                "dryRun",
                FieldReason::NotSupported,
                format!("{value:?}"),
                "supported values: \"All\"",
            );
            return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", vec![error]));
        }
        dry_run = true;
    }
    Ok(dry_run)
}

/// The options of a deletion: the body where there is one, else the query.
///
/// # Errors
/// What the API server refuses.
pub fn delete_options(query: &Query, body: &Value) -> Result<DeleteOptions, ApiError> {
    let in_body = |path: &[&str]| body.text(path).to_owned();
    let policy = match in_body(&["propagationPolicy"]) {
        empty if empty.is_empty() => query.text("propagationPolicy").to_owned(),
        policy => policy,
    };
    let orphan = body.at(&["orphanDependents"]).and_then(Value::as_bool);
    let propagation = match (policy.as_str(), orphan) {
        ("" | "Background", None | Some(false)) => Propagation::Background,
        ("Foreground", None) => Propagation::Foreground,
        ("Orphan", None) | ("", Some(true)) => Propagation::Orphan,
        (other, _) => {
            let error = FieldError::new(
                "propagationPolicy",
                FieldReason::NotSupported,
                format!("{other:?}"),
                "supported values: \"Foreground\", \"Background\", \"Orphan\"",
            );
            return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", vec![error]));
        }
    };
    let grace = body.number(&["gracePeriodSeconds"]).or(query.number("gracePeriodSeconds")?);
    if grace.is_some_and(|seconds| seconds < 0) {
        let error = FieldError::new(
            "gracePeriodSeconds",
            FieldReason::Invalid,
            grace.unwrap_or_default().to_string(),
            "must be greater than or equal to 0",
        );
        return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", vec![error]));
    }
    let in_list = body.list(&["dryRun"]).iter().filter_map(Value::as_str);
    let precondition = |field: &str| Some(in_body(&["preconditions", field])).filter(|text| !text.is_empty());
    Ok(DeleteOptions {
        propagation,
        grace_period: grace.and_then(|seconds| u64::try_from(seconds).ok()),
        uid: precondition("uid"),
        resource_version: precondition("resourceVersion"),
        dry_run: dry_run(query.all("dryRun").chain(in_list))?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_of_lists() {
        let read = |text: &str| ListQuery::read(&Query::read(text));
        let list = read("labelSelector=app%3Dweb&fieldSelector=metadata.name%3Da&limit=5&watch=1").ok();
        assert_eq!(
            list.map(|list| (list.limit, list.watch, list.single_name() == Some("a"))),
            Some((5, true, true))
        );
        for (text, code) in [
            ("limit=x", 400),
            ("resourceVersion=x", 400),
            ("resourceVersionMatch=Exact", 422),
            ("resourceVersionMatch=Near&resourceVersion=1", 422),
            ("sendInitialEvents=true", 422),
            ("watch=true&sendInitialEvents=true", 422),
            ("labelSelector=a%20b", 400),
        ] {
            assert_eq!(read(text).map(drop).map_err(|error| error.code()), Err(code), "{text}");
        }
    }

    #[test]
    fn options_of_deletions() {
        let body =
            json!({"propagationPolicy": "Foreground", "preconditions": {"uid": "1"}, "dryRun": ["All"]});
        let options = delete_options(&Query::default(), &body).ok();
        assert_eq!(
            options.map(|one| (one.propagation, one.uid, one.dry_run)),
            Some((Propagation::Foreground, Some("1".to_owned()), true))
        );
        let refused = delete_options(&Query::read("gracePeriodSeconds=-1"), &Value::Null);
        assert_eq!(refused.map(drop).map_err(|error| error.code()), Err(422));
    }
}
