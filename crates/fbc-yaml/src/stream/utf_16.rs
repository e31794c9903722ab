//! Texts in UTF-16, as go-yaml reads them.

/// What go-yaml says of a text that ends within a character, when it gets that far.
const CUT_OFF_IN_UTF_8: &str = "incomplete UTF-8 octet sequence";
const CUT_OFF_IN_UTF_16: &str = "incomplete UTF-16 character";

/// A chunk in UTF-16, which its mark tells, in UTF-8. Since files are cut into lines of bytes before, many a text ends
/// within a character; so does what comes out then.
pub(super) fn decode(chunk: &[u8]) -> Option<Vec<u8>> {
    let unit: fn([u8; 2]) -> u16 = match chunk.get(..2)? {
        [0xFE, 0xFF] => u16::from_be_bytes,
        [0xFF, 0xFE] => u16::from_le_bytes,
        _ => return None,
    };
    let (units, rest) = chunk.get(2..)?.as_chunks::<2>();
    let units: Vec<u16> = units.iter().copied().map(unit).collect();
    let mut text = String::from_utf16(&units).ok()?.into_bytes();
    if !rest.is_empty() {
        // The first byte of a character of three.
        text.push(0xE2);
    }
    Some(text)
}

/// What go-yaml says of such a text, from what it says of the text in UTF-8.
pub(super) fn message(message: &str) -> String {
    message.replace(CUT_OFF_IN_UTF_8, CUT_OFF_IN_UTF_16)
}
