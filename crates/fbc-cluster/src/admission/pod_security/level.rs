//! What the labels of a namespace ask of its pods.

use std::fmt;

use crate::error::FieldError;
use crate::object::{Object, ObjectFields};

/// How much pods may ask for, from everything to little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Everything.
    #[default]
    Privileged,
    /// Nothing that is known to lead out of the pod.
    Baseline,
    /// What is best practice.
    Restricted,
}

impl Level {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "privileged" => Some(Self::Privileged),
            "baseline" => Some(Self::Baseline),
            "restricted" => Some(Self::Restricted),
            _ => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        })
    }
}

/// A level as a version of Kubernetes has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standard {
    /// The level.
    pub level: Level,
    /// The minor version; none for the latest.
    pub version: Option<u32>,
}

/// `restricted:latest`, `baseline:v1.30`
impl fmt::Display for Standard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some(minor) => write!(formatter, "{}:v1.{minor}", self.level),
            None => write!(formatter, "{}:latest", self.level),
        }
    }
}

/// What a namespace asks of its pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// What is refused.
    pub enforce: Standard,
    /// What the audit log would tell.
    pub audit: Standard,
    /// What is warned of.
    pub warn: Standard,
}

const PREFIX: &str = "pod-security.kubernetes.io/";

impl Policy {
    /// The policy of a namespace, and what is wrong with its labels; what is wrong there counts as `restricted` and as
    /// the latest version.
    pub fn of(namespace: &Object) -> (Self, Vec<FieldError>) {
        let mut errors = Vec::new();
        let mut read = |mode: &str, fallback: Level| {
            let label = |suffix: &str| {
                let name = format!("{PREFIX}{mode}{suffix}");
                namespace.label(&name).map(|value| (name.clone(), value.to_owned()))
            };
            let (mut standard, mut is_valid) = (Standard::default(), false);
            let (level, version) = (label(""), label("-version"));
            let has_version = version.is_some();
            if let Some((name, value)) = level {
                let found = Level::parse(&value);
                is_valid = found.is_some();
                standard.level = found.unwrap_or_else(|| {
                    errors.push(wrong(&name, &value, "must be one of privileged, baseline, restricted"));
                    fallback
                });
            }
            if let Some((name, value)) = version {
                standard.version = parse_version(&value).unwrap_or_else(|| {
                    errors.push(wrong(&name, &value, "must be \"latest\" or \"v1.x\""));
                    None
                });
            }
            (standard, is_valid, has_version)
        };
        let (enforce, is_enforced, _) = read("enforce", Level::Restricted);
        let (audit, ..) = read("audit", Level::Privileged);
        let (mut warn, _, has_version) = read("warn", Level::Privileged);
        let has_warning = namespace.label(&format!("{PREFIX}warn")).is_some();
        if !has_warning && is_enforced && enforce.level > warn.level {
            warn.level = enforce.level;
            if !has_version {
                warn.version = enforce.version;
            }
        }
        (Self { enforce, audit, warn }, errors)
    }

    /// True if pods may do everything and nobody is warned.
    pub fn is_fully_privileged(&self) -> bool {
        [self.enforce, self.audit, self.warn].iter().all(|standard| standard.level == Level::Privileged)
    }
}

fn wrong(label: &str, value: &str, text: &str) -> FieldError {
    FieldError::invalid_text(format!("metadata.labels[{label}]"), value, text)
}

/// `latest`, or `v1.` and a number without zeros before it.
fn parse_version(text: &str) -> Option<Option<u32>> {
    if text == "latest" {
        return Some(None);
    }
    let minor = text.strip_prefix("v1.")?;
    let is_canonical = minor == "0" || !minor.starts_with('0');
    let is_number = !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
    (is_canonical && is_number).then(|| minor.parse().ok().map(Some)).flatten()
}
