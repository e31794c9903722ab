//! Image reference templates: `quay.io/me/{{.Package}}:v{{.Version}}`.
//!
//! Of Go's text templates the three fields that the reference offers, with blanks and trim markers
//! around them; everything else is refused by name.

/// A template that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageTemplate {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Package,
    Name,
    Version,
}

/// A template that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageTemplateError {
    /// `{{` without `}}`.
    #[error("template: image-ref-template:1: unclosed action")]
    Unclosed,
    /// Something other than a known field.
    #[error("template: image-ref-template:1: {0:?} is not one of .Package, .Name and .Version")]
    Unknown(String),
}

impl ImageTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`ImageTemplateError`]
    pub fn parse(text: &str) -> Result<Self, ImageTemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut trim_next = false;
        while let Some((before, after)) = rest.split_once("{{") {
            let (action, tail) = after.split_once("}}").ok_or(ImageTemplateError::Unclosed)?;
            let trims_before = action.starts_with("- ") || action == "-";
            let trims_after = action.ends_with(" -");
            push_text(&mut parts, before, trim_next, trims_before);
            trim_next = trims_after;
            let action = action.strip_prefix('-').unwrap_or(action);
            let action = action.strip_suffix('-').unwrap_or(action).trim();
            let is_comment = action.starts_with("/*") && action.ends_with("*/");
            match action {
                ".Package" => parts.push(Part::Package),
                ".Name" => parts.push(Part::Name),
                ".Version" => parts.push(Part::Version),
                _ if is_comment => {}
                other => return Err(ImageTemplateError::Unknown(other.to_owned())),
            }
            rest = tail;
        }
        push_text(&mut parts, rest, trim_next, false);
        Ok(Self { parts })
    }

    /// Fills the template in.
    #[must_use]
    pub fn fill(&self, package: &str, name: &str, version: &str) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text,
                Part::Package => package,
                Part::Name => name,
                Part::Version => version,
            })
            .collect()
    }
}

fn push_text(parts: &mut Vec<Part>, text: &str, trim_start: bool, trim_end: bool) {
    let blank = [' ', '\t', '\r', '\n'];
    let text = if trim_start { text.trim_start_matches(blank) } else { text };
    let text = if trim_end { text.trim_end_matches(blank) } else { text };
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let fill = |text: &str| ImageTemplate::parse(text).map(|template| template.fill("p", "n", "1.0.0"));
        assert_eq!(fill("q/{{.Package}}/{{ .Name }}:v{{- .Version -}} "), Ok("q/p/n:v1.0.0".to_owned()));
        assert_eq!(fill("plain"), Ok("plain".to_owned()));
        assert_eq!(fill("{{.Package"), Err(ImageTemplateError::Unclosed));
        assert_eq!(fill("{{.Foo}}"), Err(ImageTemplateError::Unknown(".Foo".to_owned())));
    }
}
