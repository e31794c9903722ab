//! What kind of image an icon is, told by its bytes.

use crate::blob::Icon;
use crate::file_type;

/// Why a file cannot be an icon; the texts are opm's.
///
/// Source: `operator-framework/operator-registry:alpha/action/init.go`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IconError {
    /// There are no bytes.
    #[error("detect icon mediatype: Empty buffer")]
    Empty,
    /// The bytes are not an image.
    #[error("detected invalid type \"{media_type}\": not an image")]
    NotAnImage {
        /// What they are instead; empty if that is not known.
        media_type: &'static str,
    },
}

impl Icon {
    /// An icon from the bytes of an image file that opm takes for one.
    ///
    /// # Errors
    /// The bytes are not an image.
    pub fn from_image(data: Vec<u8>) -> Result<Self, IconError> {
        if data.is_empty() {
            return Err(IconError::Empty);
        }
        match file_type::media_type(&data) {
            Some(found) if found.starts_with("image/") => {
                Ok(Self { data: Some(data), media_type: found.to_owned() })
            }
            other => Err(IconError::NotAnImage { media_type: other.unwrap_or_default() }),
        }
    }
}

/// The media type that browsers find, who know more forms of SVG (`image/svg+xml`) than opm; nothing if it is not
/// known.
#[must_use]
pub fn media_type(data: &[u8]) -> Option<&'static str> {
    if is_svg(data) { Some("image/svg+xml") } else { file_type::media_type(data) }
}

/// XML whose first element is `svg`, whatever its prefix.
fn is_svg(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!") {
            if rest.split('>').next().is_some_and(|declaration| declaration.contains('[')) {
                "]>"
            } else {
                ">"
            }
        } else {
            break;
        };
        let Some((_, behind)) = rest.split_once(end) else { return false };
        rest = behind.trim_start();
    }
    let Some(element) = rest.strip_prefix('<') else { return false };
    let name = element.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next().unwrap_or_default();
    name.rsplit(':').next() == Some("svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_images() {
        for (data, expected) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some("image/png")),
            (b"\xFF\xD8\xFF\xE0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBP", Some("image/webp")),
            (b"<svg/>", Some("image/svg+xml")),
            (
                b"<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE svg PUBLIC 'x' 'y' []>\n<s:svg/>",
                Some("image/svg+xml"),
            ),
            (b"<html></html>", None),
            (b"%PDF-1.4", Some("application/pdf")),
            (b"hello", None),
            (b"", None),
        ] {
            assert_eq!(media_type(data), expected, "{}", String::from_utf8_lossy(data));
        }
    }

    #[test]
    fn what_is_no_icon() {
        let message = |data: &[u8]| Icon::from_image(data.to_vec()).unwrap_err().to_string();
        assert_eq!(message(b""), "detect icon mediatype: Empty buffer");
        assert_eq!(message(b"%PDF-1.4"), "detected invalid type \"application/pdf\": not an image");
        assert_eq!(message(b"hello"), "detected invalid type \"\": not an image");
        // Browsers show this, and opm refuses it.
        assert_eq!(message(b"<svg/>"), "detected invalid type \"\": not an image");
    }
}
