//! The Cluster Version Operator's own manifests are templates of Go; these are the expressions that they use.
//!
//! Source: `openshift/cluster-version-operator:pkg/payload/render.go` (`manifestRenderConfig`).

use std::collections::BTreeMap;

use fbc_go::allowance::{Allowance, Exceeded};

/// What templates may ask for.
pub(super) struct Values<'v> {
    pub(super) image: &'v str,
    pub(super) profile: &'v str,
    pub(super) images: &'v BTreeMap<String, String>,
    /// What the manifests of a payload may become.
    pub(super) allowance: &'v Allowance,
}

/// What is not understood of a template, as when a payload is newer than the operator that loads it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TemplateFault {
    #[error("unclosed action")]
    Unclosed,
    #[error("{{{{{0}}}}}")]
    Expression(String),
    #[error("{0} (limit {name})", name = .0.name())]
    Excess(#[from] Exceeded),
}

/// The text with its expressions replaced.
pub(super) fn render(text: &str, values: &Values<'_>) -> Result<String, TemplateFault> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (expression, behind) = after.split_once("}}").ok_or(TemplateFault::Unclosed)?;
        let trims_left = expression.starts_with("- ");
        let trims_right = expression.ends_with(" -");
        let expression = expression.strip_prefix("- ").unwrap_or(expression);
        let expression = expression.strip_suffix(" -").unwrap_or(expression).trim();
        out.push_str(if trims_left { before.trim_end() } else { before });
        values.allowance.push(&mut out, &evaluate(expression, values)?)?;
        rest = if trims_right { behind.trim_start() } else { behind };
    }
    out.push_str(rest);
    Ok(out)
}

fn evaluate(expression: &str, values: &Values<'_>) -> Result<String, TemplateFault> {
    let image = |name: &str| values.images.get(name).cloned().unwrap_or_default();
    match expression {
        ".ReleaseImage" => Ok(values.image.to_owned()),
        ".ClusterProfile" => Ok(values.profile.to_owned()),
        comment if comment.starts_with("/*") && comment.ends_with("*/") => Ok(String::new()),
        _ => {
            let by_index =
                expression.strip_prefix("index .Images ").map(|name| name.trim().trim_matches('"'));
            let name = by_index.or_else(|| expression.strip_prefix(".Images."));
            name.map(image).ok_or_else(|| TemplateFault::Expression(expression.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use fbc_go::allowance::ExpansionLimits;

    use super::*;

    #[test]
    fn known_expressions_are_replaced_and_others_told() {
        let images = BTreeMap::from([("cli".to_owned(), "example.com/cli@sha256:1".to_owned())]);
        let allowance = Allowance::new(ExpansionLimits { bytes: 1_000, ..ExpansionLimits::USUAL });
        let values = Values {
            image: "example.com/release",
            profile: "hypershift",
            images: &images,
            allowance: &allowance,
        };
        let text = "a: '{{.ReleaseImage}}'\nb: {{ .ClusterProfile }}\nc: {{index .Images \"cli\"}}\n{{- /* no */ -}}\nd: 1";
        let expected = "a: 'example.com/release'\nb: hypershift\nc: example.com/cli@sha256:1d: 1";
        assert_eq!(render(text, &values), Ok(expected.to_owned()));
        assert_eq!(render("{{if .New}}x{{end}}", &values).unwrap_err().to_string(), "{{if .New}}");
        assert!(render("{{.ReleaseImage", &values).is_err());
        let many = render(&"{{.ReleaseImage}}".repeat(100), &values);
        assert_eq!(many, Err(TemplateFault::Excess(Exceeded::Bytes(1_000))));
    }
}
