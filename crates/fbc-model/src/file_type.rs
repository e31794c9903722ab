//! What kind of file some bytes are, as opm tells it from their first bytes.
//!
//! Icons that opm refuses must be refused here too, and those that it takes be taken, so the table has what the
//! library that opm uses knows, in the order of that library; where several kinds of one group fit, the library
//! takes any of them, and the table the first.
//!
//! Source: `h2non/filetype:matchers`, `h2non/go-is-svg:svg.go`.

/// Bytes at places that tell a kind of file.
struct Magic {
    media_type: &'static str,
    /// What stands where.
    parts: &'static [(usize, &'static [u8])],
    /// How many bytes there must be at least.
    least: usize,
}

const fn magic(media_type: &'static str, parts: &'static [(usize, &'static [u8])]) -> Magic {
    Magic { media_type, parts, least: 0 }
}

const fn start(media_type: &'static str, parts: &'static [(usize, &'static [u8])], least: usize) -> Magic {
    Magic { media_type, parts, least }
}

const PROGRAMS: &[Magic] = &[
    magic("application/wasm", &[(0, b"\0asm\x01\0\0\0")]),
    magic("application/vnd.android.dex", &[(0, b"dex\n"), (36, b"\x70")]),
    start("application/vnd.android.dey", &[(0, b"dey\n"), (40, b"dex\n"), (76, b"\x70")], 101),
];

const IMAGES: &[Magic] = &[
    magic("image/jpeg", &[(0, b"\xFF\xD8\xFF")]),
    magic("image/jp2", &[(0, b"\0\0\0\x0CjP  \r\n\x87\n\0")]),
    magic("image/png", &[(0, b"\x89PNG")]),
    magic("image/gif", &[(0, b"GIF")]),
    magic("image/webp", &[(8, b"WEBP")]),
    magic("image/x-canon-cr2", &[(0, b"II\x2A\0"), (8, b"CR\x02")]),
    magic("image/x-canon-cr2", &[(0, b"MM\0\x2A"), (8, b"CR\x02")]),
    start("image/tiff", &[(0, b"II\x2A\0")], 11),
    start("image/tiff", &[(0, b"MM\0\x2A")], 11),
    magic("image/bmp", &[(0, b"BM")]),
    magic("image/vnd.ms-photo", &[(0, b"II\xBC")]),
    magic("image/vnd.adobe.photoshop", &[(0, b"8BPS")]),
    magic("image/vnd.microsoft.icon", &[(0, b"\0\0\x01\0")]),
    magic("image/vnd.dwg", &[(0, b"AC10")]),
];

const VIDEOS: &[Magic] = &[
    magic("video/x-m4v", &[(4, b"ftypM4V")]),
    start("video/quicktime", &[(0, b"\0\0\0\x14ftyp")], 16),
    start("video/quicktime", &[(4, b"moov")], 16),
    start("video/quicktime", &[(4, b"mdat")], 16),
    magic("video/quicktime", &[(12, b"mdat")]),
    magic("video/x-msvideo", &[(0, b"RIFF"), (8, b"AVI")]),
    magic("video/x-ms-wmv", &[(0, b"0&\xB2u\x8Ef\xCF\x11\xA6\xD9")]),
    magic("video/x-flv", &[(0, b"FLV\x01")]),
    magic("video/3gpp", &[(4, b"ftyp3gp")]),
];

const OTHERS: &[Magic] = &[
    magic("audio/midi", &[(0, b"MThd")]),
    magic("audio/mpeg", &[(0, b"ID3")]),
    start("audio/mpeg", &[(0, b"\xFF\xFB")], 3),
    magic("audio/m4a", &[(4, b"ftypM4A")]),
    start("audio/m4a", &[(0, b"M4A ")], 11),
    magic("audio/ogg", &[(0, b"OggS")]),
    magic("audio/x-flac", &[(0, b"fLaC")]),
    magic("audio/x-wav", &[(0, b"RIFF"), (8, b"WAVE")]),
    start("audio/amr", &[(0, b"#!AMR\n")], 12),
    magic("audio/aac", &[(0, b"\xFF\xF1")]),
    magic("audio/aac", &[(0, b"\xFF\xF9")]),
    magic("audio/x-aiff", &[(0, b"FORM"), (8, b"AIFF")]),
    magic("application/font-woff", &[(0, b"wOFF\0\x01\0\0")]),
    magic("application/font-woff", &[(0, b"wOF2\0\x01\0\0")]),
    magic("application/font-sfnt", &[(0, b"\0\x01\0\0\0")]),
    magic("application/font-sfnt", &[(0, b"OTTO\0")]),
    magic("application/msword", &[(0, b"\xD0\xCF\x11\xE0"), (512, b"\xEC\xA5")]),
    magic("application/vnd.ms-excel", &[(0, b"\xD0\xCF\x11\xE0"), (512, b"\x09\x08")]),
    magic("application/vnd.ms-powerpoint", &[(0, b"\xD0\xCF\x11\xE0"), (512, b"\xA0\x46")]),
    magic("application/epub+zip", &[(0, b"PK\x03\x04mimetypeapplication/epub+zip")]),
    magic("application/zip", &[(0, b"PK\x03\x04")]),
    magic("application/zip", &[(0, b"PK\x05\x06")]),
    magic("application/zip", &[(0, b"PK\x07\x08")]),
    magic("application/x-tar", &[(257, b"ustar")]),
    magic("application/vnd.rar", &[(0, b"Rar!\x1A\x07\0")]),
    magic("application/vnd.rar", &[(0, b"Rar!\x1A\x07\x01")]),
    magic("application/gzip", &[(0, b"\x1F\x8B\x08")]),
    magic("application/x-bzip2", &[(0, b"BZh")]),
    magic("application/x-7z-compressed", &[(0, b"7z\xBC\xAF\x27\x1C")]),
    magic("application/x-xz", &[(0, b"\xFD7zXZ\0")]),
    magic("application/zstd", &[(0, b"\x28\xB5\x2F\xFD")]),
    magic("application/pdf", &[(0, b"%PDF")]),
    magic("application/vnd.microsoft.portable-executable", &[(0, b"MZ")]),
    magic("application/x-shockwave-flash", &[(0, b"CWS")]),
    magic("application/x-shockwave-flash", &[(0, b"FWS")]),
    magic("application/rtf", &[(0, b"{\\rtf")]),
    magic("application/octet-stream", &[(8, b"\x02\0\x01"), (34, b"LP")]),
    magic("application/octet-stream", &[(8, b"\x01\0\0"), (34, b"LP")]),
    magic("application/octet-stream", &[(8, b"\x02\0\x02"), (34, b"LP")]),
    magic("application/postscript", &[(0, b"%!")]),
    magic("application/vnd.sqlite3", &[(0, b"SQLi")]),
    magic("application/x-nintendo-nes-rom", &[(0, b"NES\x1A")]),
    magic("application/x-google-chrome-extension", &[(0, b"Cr24")]),
    magic("application/vnd.ms-cab-compressed", &[(0, b"MSCF")]),
    magic("application/vnd.ms-cab-compressed", &[(0, b"ISc(")]),
    magic("application/vnd.debian.binary-package", &[(0, b"!<arch>\ndebian-binary")]),
    magic("application/x-unix-archive", &[(0, b"!<arch>")]),
    magic("application/x-compress", &[(0, b"\x1F\xA0")]),
    magic("application/x-compress", &[(0, b"\x1F\x9D")]),
    magic("application/x-lzip", &[(0, b"LZIP")]),
    start("application/x-rpm", &[(0, b"\xED\xAB\xEE\xDB")], 97),
    start("application/x-executable", &[(0, b"\x7FELF")], 53),
    magic("application/dicom", &[(128, b"DICM")]),
    magic("application/x-iso9660-image", &[(32769, b"CD001")]),
    magic("application/x-mach-binary", &[(0, b"\xFE\xED\xFA\xCF")]),
    magic("application/x-mach-binary", &[(0, b"\xFE\xED\xFA\xCE")]),
    magic("application/x-mach-binary", &[(0, b"\xBE\xBA\xFE\xCA")]),
    magic("application/x-mach-binary", &[(0, b"\xCF\xFA\xED\xFE")]),
    magic("application/x-mach-binary", &[(0, b"\xCE\xFA\xED\xFE")]),
    magic("application/x-mach-binary", &[(0, b"\xCA\xFE\xBA\xBE")]),
];

/// Brands of the base media file format that stand for MP4.
const MP4_BRANDS: [&[u8; 4]; 26] = [
    b"avc1", b"dash", b"iso2", b"iso3", b"iso4", b"iso5", b"iso6", b"isom", b"mmp4", b"mp41", b"mp42",
    b"mp4v", b"mp71", b"MSNV", b"NDAS", b"NDSC", b"NSDC", b"NDSH", b"NDSM", b"NDSP", b"NDSS", b"NDXC",
    b"NDXH", b"NDXM", b"NDXP", b"NDXS",
];

/// The media type that opm finds; nothing if it finds none.
#[must_use]
pub fn media_type(data: &[u8]) -> Option<&'static str> {
    if is_svg(data) {
        return Some("image/svg+xml");
    }
    let known = |table: &[Magic]| table.iter().find(|magic| magic.fits(data)).map(|magic| magic.media_type);
    known(PROGRAMS)
        .or_else(|| known(IMAGES))
        .or_else(|| is_heif(data).then_some("image/heif"))
        .or_else(|| known(VIDEOS))
        .or_else(|| video(data))
        .or_else(|| known(OTHERS))
}

impl Magic {
    fn fits(&self, data: &[u8]) -> bool {
        let stands =
            |(at, bytes): &(usize, &[u8])| data.get(*at..).is_some_and(|rest| rest.starts_with(bytes));
        data.len() >= self.least && self.parts.iter().all(stands)
    }
}

/// Whether opm takes bytes for SVG: nothing but white space, a declaration and a document type may stand around one
/// `svg` element with an end tag, and there must be not an asterisk in it. Comments do not count.
fn is_svg(data: &[u8]) -> bool {
    if data.len() >= 24 && data.iter().take(24).any(|byte| *byte <= 8) {
        return false;
    }
    let text = without_comments(data);
    let mut rest = text.trim_ascii_start();
    for optional in [&b"<?xml"[..], b"<!doctype svg"] {
        if let Some(behind) = behind_tag(rest, optional) {
            rest = behind.trim_ascii_start();
        }
    }
    let Some(body) = behind_tag(rest, b"<svg") else { return false };
    let body = body.trim_ascii_end();
    let end = body.len().checked_sub(b"</svg>".len());
    let Some((content, end)) = end.and_then(|end| body.split_at_checked(end)) else { return false };
    end.eq_ignore_ascii_case(b"</svg>") && !content.contains(&b'*')
}

/// What follows a tag that begins in some way, in whatever case.
fn behind_tag<'d>(data: &'d [u8], beginning: &[u8]) -> Option<&'d [u8]> {
    let (found, rest) = data.split_at_checked(beginning.len())?;
    let end = rest.iter().position(|byte| *byte == b'>')?;
    if found.eq_ignore_ascii_case(beginning) { rest.get(end + 1..) } else { None }
}

fn without_comments(data: &[u8]) -> Vec<u8> {
    let find = |data: &[u8], wanted: &[u8]| memchr::memmem::find(data, wanted);
    let mut text = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some(begin) = find(rest, b"<!--") {
        let Some((before, comment)) = rest.split_at_checked(begin) else { break };
        let Some(end) = comment.get(4..).and_then(|comment| find(comment, b"-->")) else { break };
        text.extend_from_slice(before);
        rest = comment.get(4 + end + 3..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    text
}

/// HEIF: a file of the base media file format with the brand `heic`. AVIF is none.
fn is_heif(data: &[u8]) -> bool {
    let length = data.first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
    let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(usize::MAX);
    if data.len() < 17 || data.get(4..8) != Some(b"ftyp") || data.len() < length {
        return false;
    }
    match data.get(8..12) {
        Some(b"heic") => true,
        Some(b"mif1" | b"msf1") => {
            let brands = data.get(16..).unwrap_or_default().chunks_exact(4);
            brands.take(length.saturating_sub(16).div_ceil(4)).any(|brand| brand == b"heic")
        }
        _ => false,
    }
}

/// Videos that more than bytes at fixed places tell.
fn video(data: &[u8]) -> Option<&'static str> {
    let brand: Option<&[u8; 4]> = data.get(8..12).and_then(|brand| brand.try_into().ok());
    let is_mp4 =
        brand.is_some_and(|brand| MP4_BRANDS.contains(&brand) || [b"F4V ", b"F4P "].contains(&brand));
    if is_mp4 && data.get(4..8) == Some(b"ftyp") {
        return Some("video/mp4");
    }
    if data.starts_with(b"\x1A\x45\xDF\xA3") {
        let begin = data.get(..4096).unwrap_or(data);
        let has = |kind: &[u8]| {
            let at = memchr::memmem::find(begin, kind).and_then(|at| at.checked_sub(3));
            at.and_then(|at| begin.get(at..)).is_some_and(|found| found.starts_with(b"\x42\x82"))
        };
        return [("video/x-matroska", &b"matroska"[..]), ("video/webm", b"webm")]
            .into_iter()
            .find_map(|(media_type, kind)| has(kind).then_some(media_type));
    }
    let is_mpeg =
        data.starts_with(b"\0\0\x01") && data.get(3).is_some_and(|byte| (0xB0..=0xBF).contains(byte));
    is_mpeg.then_some("video/mpeg")
}

#[cfg(test)]
mod tests {
    use super::media_type;

    /// The answers of `filetype.Match` with the matcher for SVG that opm adds.
    #[test]
    fn kinds_of_files_are_those_of_opm() {
        for (data, expected) in [
            (&b"\x89PNG"[..], Some("image/png")),
            (b"AC1015", Some("image/vnd.dwg")),
            (b"RIFF\0\0\0\0WEBP", Some("image/webp")),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Some("image/heif")),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", Some("image/heif")),
            (b"\0\0\0\x18ftypavif\0\0\0\0mif1avif", None),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", Some("video/mp4")),
            (b"\x1A\x45\xDF\xA3\x42\x82\x84webm", Some("video/webm")),
            (b"II\x2A\0\0\0\0\0CR\x02", Some("image/x-canon-cr2")),
            (b"II\x2A\0\0\0\0\0\0\0\0", Some("image/tiff")),
            (b"II\x2A\0", None),
            (b"%PDF-1.4", Some("application/pdf")),
            (b"PK\x03\x04", Some("application/zip")),
            (b"<html></html>", None),
            (b"<svg></svg>", Some("image/svg+xml")),
            (b"<SVG a='>'></svG>\n", Some("image/svg+xml")),
            (b"<svg/>", None),
            (b"<svg></svg> <!-- end -->", Some("image/svg+xml")),
            (b"<!-- c --><?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC>\n<svg></svg>", Some("image/svg+xml")),
            (b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg></svg>", None),
            (b"<?xml-stylesheet?><svg></svg>", Some("image/svg+xml")),
            (b"<svg>a*b</svg>", None),
            (b"<svg></svg>x", None),
            (b"\xEF\xBB\xBF<svg></svg>", None),
            (b"<svg>\x01\x01</svg>", Some("image/svg+xml")),
            (b"<svg>\x01\x01</svg>           ", None),
        ] {
            assert_eq!(media_type(data), expected, "{}", data.escape_ascii());
        }
    }
}
