//! Bytes to frames.

use bytes::{Buf as _, Bytes, BytesMut};

use super::frame::{CONTROL, FINISH, Frame, FrameError, STREAM, VERSION, kind};
use super::headers::HeaderReader;

/// The longest frame with data. Clients send what they read at once, some tens of kilobytes.
const LONGEST_DATA: usize = 1 << 20;
/// The longest control frame.
const LONGEST_CONTROL: usize = 64 << 10;
/// What precedes the content of every frame.
const HEAD: usize = 8;

/// Reads the frames of a connection.
#[derive(Debug)]
pub struct FrameReader {
    buffer: BytesMut,
    headers: HeaderReader,
}

impl Default for FrameReader {
    fn default() -> Self {
        Self { buffer: BytesMut::new(), headers: HeaderReader::new() }
    }
}

impl FrameReader {
    /// Takes bytes of the connection.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame; none before all of it is there.
    ///
    /// # Errors
    /// What makes the rest of the connection unreadable.
    pub fn frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some((&[a, b, c, d, flags, e, f, g], _)) = self.buffer.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let word = u32::from_be_bytes([a, b, c, d]);
        let is_control = word & CONTROL != 0;
        let length = u32::from_be_bytes([0, e, f, g]) as usize;
        let limit = if is_control { LONGEST_CONTROL } else { LONGEST_DATA };
        if length > limit {
            return Err(FrameError::TooLong { length, limit });
        }
        if self.buffer.len() < HEAD + length {
            return Ok(None);
        }
        self.buffer.advance(HEAD);
        let content = self.buffer.split_to(length).freeze();
        let is_last = flags & FINISH != 0;
        if is_control {
            let [version, kind] = [word >> 16 & 0x7fff, word & 0xffff].map(|half| half as u16);
            return match version {
                VERSION => self.control(kind, is_last, content).map(Some),
                _ => Err(FrameError::Version(version)),
            };
        }
        Ok(Some(Frame::Data { stream: numbered(word)?, bytes: content, is_last }))
    }

    fn control(&mut self, of: u16, is_last: bool, mut content: Bytes) -> Result<Frame, FrameError> {
        let mut word = || content.try_get_u32().map_err(|_| FrameError::TooShort(of));
        Ok(match of {
            kind::SYN_STREAM => {
                let stream = numbered(word()?)?;
                // Which stream it belongs to; priority and slot.
                word()?;
                content.try_get_u16().map_err(|_| FrameError::TooShort(of))?;
                Frame::Open { stream, headers: self.headers.read(&content)?, is_last }
            }
            kind::SYN_REPLY => {
                let stream = numbered(word()?)?;
                Frame::Accept { stream, headers: self.headers.read(&content)? }
            }
            kind::HEADERS => {
                let stream = numbered(word()?)?;
                Frame::Headers { stream, headers: self.headers.read(&content)?, is_last }
            }
            kind::RST_STREAM => Frame::Reset { stream: numbered(word()?)?, status: word()? },
            kind::PING => Frame::Ping { id: word()? },
            kind::GOAWAY => Frame::GoAway { last: word()? & STREAM, status: word()? },
            other => Frame::Other(other),
        })
    }
}

/// The number of a stream, which is not 0.
fn numbered(word: u32) -> Result<u32, FrameError> {
    match word & STREAM {
        0 => Err(FrameError::NoStream),
        stream => Ok(stream),
    }
}
