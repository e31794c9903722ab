//! Frames to bytes.

use bytes::{BufMut as _, Bytes, BytesMut};

use super::frame::{CONTROL, FINISH, Frame, STREAM, VERSION, kind};
use super::headers::HeaderWriter;

/// Writes the frames of a connection. Each must be sent, in the order in which they were written.
#[derive(Debug)]
pub struct FrameWriter {
    headers: HeaderWriter,
}

impl Default for FrameWriter {
    fn default() -> Self {
        Self { headers: HeaderWriter::new() }
    }
}

impl FrameWriter {
    /// The bytes of a frame.
    pub fn write(&mut self, frame: &Frame) -> Bytes {
        match frame {
            Frame::Open { stream, headers, is_last } => {
                let mut content = BytesMut::new();
                content.put_u32(*stream);
                // It belongs to no other; priority and slot are 0.
                content.put_bytes(0, 6);
                content.put_slice(&self.headers.write(headers));
                control(kind::SYN_STREAM, *is_last, &content)
            }
            Frame::Accept { stream, headers } => self.with_headers(kind::SYN_REPLY, *stream, headers, false),
            Frame::Headers { stream, headers, is_last } => {
                self.with_headers(kind::HEADERS, *stream, headers, *is_last)
            }
            Frame::Reset { stream, status } => control(kind::RST_STREAM, false, &words(*stream, *status)),
            Frame::Ping { id } => control(kind::PING, false, &id.to_be_bytes()),
            Frame::GoAway { last, status } => control(kind::GOAWAY, false, &words(*last, *status)),
            Frame::Data { stream, bytes, is_last } => framed(stream & STREAM, *is_last, bytes),
            Frame::Other(kind) => control(*kind, false, &[]),
        }
    }

    fn with_headers(&mut self, kind: u16, stream: u32, headers: &super::HeaderBlock, is_last: bool) -> Bytes {
        let mut content = BytesMut::new();
        content.put_u32(stream);
        content.put_slice(&self.headers.write(headers));
        control(kind, is_last, &content)
    }
}

fn words(first: u32, second: u32) -> [u8; 8] {
    (u64::from(first) << 32 | u64::from(second)).to_be_bytes()
}

fn control(kind: u16, is_last: bool, content: &[u8]) -> Bytes {
    framed(CONTROL | u32::from(VERSION) << 16 | u32::from(kind), is_last, content)
}

/// Contents have less than 16 MiB: data comes in pieces, headers are short.
fn framed(word: u32, is_last: bool, content: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(8 + content.len());
    frame.put_u32(word);
    frame.put_u8(if is_last { FINISH } else { 0 });
    frame.put_uint(content.len() as u64, 3);
    frame.put_slice(content);
    frame.freeze()
}
