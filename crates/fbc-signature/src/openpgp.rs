//! OpenPGP as far as releases and signatures of images use it: key rings, and signed messages, compressed or not.
//!
//! Sources: RFC 4880 and RFC 9580; `golang.org/x/crypto:openpgp/read.go` for the texts.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature;

/// Messages unpack to no more than this.
const LARGEST: u64 = 1 << 20;

/// A key that signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicKey {
    /// Modulus and exponent.
    Rsa(Vec<u8>, Vec<u8>),
    /// The point of Ed25519.
    Ed25519(Vec<u8>),
}

/// The kind of a packet, and its content.
type Packet = (u8, Vec<u8>);

/// Cuts bytes into packets.
fn packets(mut bytes: &[u8]) -> Option<Vec<Packet>> {
    let mut all = Vec::new();
    while let Some((first, rest)) = bytes.split_first() {
        bytes = rest;
        if first & 0x80 == 0 {
            return None;
        }
        let mut body = Vec::new();
        if first & 0x40 == 0 {
            // The old form: the size of the length stands in the tag; without a length it reaches to the end.
            let size = match first & 3 {
                3 => bytes.len(),
                width => number(take(&mut bytes, 1 << width)?),
            };
            body.extend_from_slice(take(&mut bytes, size)?);
            all.push((first >> 2 & 15, body));
            continue;
        }
        loop {
            let first = usize::from(*take(&mut bytes, 1)?.first()?);
            let (size, is_partial) = match first {
                0..192 => (first, false),
                192..224 => (((first - 192) << 8) + number(take(&mut bytes, 1)?) + 192, false),
                224..255 => (1_usize.checked_shl(first as u32 & 31)?, true),
                _ => (number(take(&mut bytes, 4)?), false),
            };
            body.extend_from_slice(take(&mut bytes, size)?);
            if !is_partial {
                break;
            }
        }
        all.push((first & 63, body));
    }
    Some(all)
}

fn take<'b>(bytes: &mut &'b [u8], size: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(size)?;
    *bytes = rest;
    Some(taken)
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// A number with its size in bits in front.
fn integer<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let bits = number(take(bytes, 2)?);
    take(bytes, bits.div_ceil(8))
}

/// Whether an armored key ring has a key that can sign releases.
pub fn has_keys(armored: &str) -> bool {
    !keys(armored).is_empty()
}

/// The keys of an armored key ring, with those below them. Of several blocks the first counts.
pub fn keys(armored: &str) -> Vec<PublicKey> {
    block(&mut armored.lines()).map(|bytes| keys_in(&bytes)).unwrap_or_default()
}

/// The keys of a file as GnuPG takes them in: blocks of armor, one or several, or bytes without it.
#[must_use]
pub fn key_ring(file: &[u8]) -> Vec<PublicKey> {
    match std::str::from_utf8(file) {
        Ok(text) => {
            let mut lines = text.lines();
            std::iter::from_fn(|| block(&mut lines)).flat_map(|bytes| keys_in(&bytes)).collect()
        }
        Err(_) => keys_in(file),
    }
}

/// The bytes of the next block of armor.
fn block<'l>(lines: &mut impl Iterator<Item = &'l str>) -> Option<Vec<u8>> {
    let mut lines = lines.map(str::trim);
    lines.find(|line| line.starts_with("-----BEGIN"))?;
    // Headers stand in front of the first empty line, a checksum at the end.
    lines.find(|line| line.is_empty())?;
    let content = lines.take_while(|line| !line.starts_with("-----END"));
    let base64: String = content.filter(|line| !line.starts_with('=')).collect();
    Some(STANDARD.decode(base64).unwrap_or_default())
}

fn keys_in(bytes: &[u8]) -> Vec<PublicKey> {
    let packets = packets(bytes).unwrap_or_default();
    packets.iter().filter(|(kind, _)| matches!(kind, 6 | 14)).filter_map(|(_, body)| key(body)).collect()
}

/// Reads a key of version 4.
fn key(mut body: &[u8]) -> Option<PublicKey> {
    let [4, _, _, _, _, algorithm] = take(&mut body, 6)? else { return None };
    match algorithm {
        1 | 3 => Some(PublicKey::Rsa(integer(&mut body)?.to_vec(), integer(&mut body)?.to_vec())),
        22 => {
            let length = number(take(&mut body, 1)?);
            take(&mut body, length)?;
            integer(&mut body)?.strip_prefix(&[0x40]).map(|point| PublicKey::Ed25519(point.to_vec()))
        }
        27 => Some(PublicKey::Ed25519(take(&mut body, 32)?.to_vec())),
        _ => None,
    }
}

/// What is wrong with a signed message, in the words of the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// It is not a message.
    #[error("could not read the message: openpgp: invalid data")]
    Broken,
    /// It has no signature.
    #[error("not signed")]
    Unsigned,
    /// Its signature is of none of the keys.
    #[error("invalid signature")]
    Signature,
    /// Its signature counts no more.
    #[error("the signature has expired")]
    Expired,
}

/// As [`verified`], at a time in seconds since 1970.
///
/// # Errors
/// As [`verified`], and if the signature has expired by then.
pub fn verified_at(message: &[u8], keys: &[PublicKey], now: u64) -> Result<Vec<u8>, MessageFault> {
    let (content, expires) = opened(message, keys)?;
    match expires.is_some_and(|expires| expires < now) {
        true => Err(MessageFault::Expired),
        false => Ok(content),
    }
}

/// The content of a signed message that one of the keys signed.
///
/// # Errors
/// [`MessageFault`]
pub fn verified(message: &[u8], keys: &[PublicKey]) -> Result<Vec<u8>, MessageFault> {
    opened(message, keys).map(|(content, _)| content)
}

/// The content, and when its signature expires, if it does.
fn opened(message: &[u8], keys: &[PublicKey]) -> Result<(Vec<u8>, Option<u64>), MessageFault> {
    let broken = MessageFault::Broken;
    let mut all = packets(message).ok_or(broken)?;
    if let [(8, body), ..] = all.as_slice() {
        all = packets(&inflated(body).ok_or(broken)?).ok_or(broken)?;
    }
    let of = |wanted: u8| all.iter().find(|(kind, _)| *kind == wanted).map(|(_, body)| body.as_slice());
    let literal = of(11).and_then(literal).ok_or(broken)?;
    let signature = Signature::read(of(2).ok_or(MessageFault::Unsigned)?).ok_or(broken)?;
    let signed = [literal, signature.hashed].concat();
    match keys.iter().any(|key| signature.is_of(key, &signed)) {
        true => Ok((literal.to_vec(), signature.expires())),
        false => Err(MessageFault::Signature),
    }
}

fn inflated(body: &[u8]) -> Option<Vec<u8>> {
    let (algorithm, packed) = body.split_first()?;
    let mut bytes = Vec::new();
    match algorithm {
        0 => return Some(packed.to_vec()),
        1 => flate2::read::DeflateDecoder::new(packed).take(LARGEST).read_to_end(&mut bytes).ok()?,
        2 => flate2::read::ZlibDecoder::new(packed).take(LARGEST).read_to_end(&mut bytes).ok()?,
        _ => return None,
    };
    Some(bytes)
}

/// The data of a literal: it stands behind a format, a name and a time.
fn literal(mut body: &[u8]) -> Option<&[u8]> {
    take(&mut body, 1)?;
    let name = number(take(&mut body, 1)?);
    take(&mut body, name + 4)?;
    Some(body)
}

/// A signature of version 4.
struct Signature<'s> {
    hash: u8,
    /// What is hashed behind the data.
    hashed: &'s [u8],
    trailer: Vec<u8>,
    numbers: &'s [u8],
}

impl<'s> Signature<'s> {
    fn read(body: &'s [u8]) -> Option<Self> {
        let [4, 0 | 1, _, hash, high, low, ..] = body else { return None };
        let (hash, length) = (*hash, 6 + number(&[*high, *low]));
        let (hashed, mut rest) = body.split_at_checked(length)?;
        let unhashed = number(take(&mut rest, 2)?);
        // Two bytes of the hash are there to find broken signatures early.
        take(&mut rest, unhashed + 2)?;
        let size = u32::try_from(length).ok()?;
        let trailer = [&[4, 0xff][..], &size.to_be_bytes()].concat();
        Some(Self { hash, hashed, trailer, numbers: rest })
    }

    /// When it expires, in seconds since 1970: so long after it was made (RFC 4880, sections 5.2.3.4 and 5.2.3.10).
    fn expires(&self) -> Option<u64> {
        let (mut made, mut lasts) = (None, None);
        let mut packets = self.hashed.get(6..)?;
        while let Some((first, rest)) = packets.split_first() {
            packets = rest;
            let size = match usize::from(*first) {
                size @ 0..192 => size,
                size @ 192..255 => ((size - 192) << 8) + number(take(&mut packets, 1)?) + 192,
                _ => number(take(&mut packets, 4)?),
            };
            let (kind, value) = take(&mut packets, size)?.split_first()?;
            match kind & 0x7f {
                2 => made = Some(number(value) as u64),
                3 => lasts = Some(number(value) as u64),
                _ => {}
            }
        }
        lasts.filter(|lasts| *lasts > 0).and_then(|lasts| Some(made? + lasts))
    }

    fn is_of(&self, key: &PublicKey, signed: &[u8]) -> bool {
        let signed = [signed, &self.trailer].concat();
        let mut numbers = self.numbers;
        match key {
            PublicKey::Rsa(modulus, exponent) => {
                let Some(number) = integer(&mut numbers) else { return false };
                // Leading zeros are left out, and the signature is as long as the modulus.
                let mut padded = vec![0; modulus.len().saturating_sub(number.len())];
                padded.extend_from_slice(number);
                let parameters = match self.hash {
                    8 => &signature::RSA_PKCS1_2048_8192_SHA256,
                    9 => &signature::RSA_PKCS1_2048_8192_SHA384,
                    10 => &signature::RSA_PKCS1_2048_8192_SHA512,
                    _ => return false,
                };
                let key = signature::RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(parameters, &signed, &padded).is_ok()
            }
            PublicKey::Ed25519(point) => {
                let digest = match self.hash {
                    8 => &ring::digest::SHA256,
                    9 => &ring::digest::SHA384,
                    10 => &ring::digest::SHA512,
                    _ => return false,
                };
                let digest = ring::digest::digest(digest, &signed);
                let half =
                    |bytes: &[u8]| [vec![0; 32_usize.saturating_sub(bytes.len())], bytes.to_vec()].concat();
                let halves = integer(&mut numbers).map(half).zip(integer(&mut numbers).map(half));
                let Some((first, second)) = halves else { return false };
                let key = signature::UnparsedPublicKey::new(&signature::ED25519, point);
                key.verify(digest.as_ref(), &[first, second].concat()).is_ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_messages_are_refused() {
        for bytes in [
            &b""[..],
            b"x",
            &[0xc2, 0x05, 4],
            &[0x90],
            &[0xcb, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0xa3, 1, 9, 9],
        ] {
            assert!(verified(bytes, &[]).is_err(), "{bytes:?}");
        }
        assert_eq!(keys("no key"), []);
        assert_eq!(key_ring(b"no key"), []);
        assert_eq!(key_ring(&[0xff, 0xfe]), []);
        assert_eq!(
            keys("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n????\n-----END PGP PUBLIC KEY BLOCK-----"),
            []
        );
    }
}
