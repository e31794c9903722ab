//! What frames say.

use bytes::Bytes;

use super::headers::HeaderBlock;

/// The version in every control frame.
pub(super) const VERSION: u16 = 3;
/// The bit that tells control frames from data.
pub(super) const CONTROL: u32 = 1 << 31;
/// What is left of a word without its first bit: the number of a stream.
pub(super) const STREAM: u32 = CONTROL - 1;
/// The flag of the last frame of a direction.
pub(super) const FINISH: u8 = 1;

/// The types of control frames that are read or written.
pub(super) mod kind {
    pub(crate) const SYN_STREAM: u16 = 1;
    pub(crate) const SYN_REPLY: u16 = 2;
    pub(crate) const RST_STREAM: u16 = 3;
    pub(crate) const PING: u16 = 6;
    pub(crate) const GOAWAY: u16 = 7;
    pub(crate) const HEADERS: u16 = 8;
}

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// `SYN_STREAM`: a stream begins.
    Open {
        /// Its number; odd for those that the client opens.
        stream: u32,
        /// What it is for.
        headers: HeaderBlock,
        /// Whether nothing follows in it.
        is_last: bool,
    },
    /// `SYN_REPLY`: a stream is accepted.
    Accept {
        /// Its number.
        stream: u32,
        /// What there is to say about it.
        headers: HeaderBlock,
    },
    /// `RST_STREAM`: a stream ends at once, in both directions.
    Reset {
        /// Its number.
        stream: u32,
        /// Why, see [`ResetStatus`].
        status: u32,
    },
    /// `DATA`: bytes of a stream.
    Data {
        /// Its number.
        stream: u32,
        /// The bytes.
        bytes: Bytes,
        /// Whether nothing follows in it.
        is_last: bool,
    },
    /// `HEADERS`: more headers of a stream.
    Headers {
        /// Its number.
        stream: u32,
        /// The headers.
        headers: HeaderBlock,
        /// Whether nothing follows in it.
        is_last: bool,
    },
    /// `PING`: to be sent back by whoever did not choose the number.
    Ping {
        /// The number; odd if the client chose it.
        id: u32,
    },
    /// `GOAWAY`: no streams are accepted any more.
    GoAway {
        /// The last stream that was.
        last: u32,
        /// 0 if all is well.
        status: u32,
    },
    /// A control frame of another type, which means nothing here.
    Other(u16),
}

/// Why a stream ends at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum ResetStatus {
    /// What the other side did is wrong.
    ProtocolError = 1,
    /// It was not worked on.
    RefusedStream = 3,
    /// Whoever opened it does not need it any more.
    Cancel = 5,
}

/// Why a connection cannot be read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A control frame of another version.
    #[error("a frame has version {0} of SPDY, expected {VERSION}")]
    Version(u16),
    /// A frame beyond what is taken.
    #[error("a frame has {length} bytes, at most {limit} are taken")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// A control frame whose length does not fit its type.
    #[error("a control frame of type {0} is too short")]
    TooShort(u16),
    /// Data, or a stream, without a number.
    #[error("a frame has stream 0")]
    NoStream,
    /// Headers that cannot be decompressed.
    #[error("the headers of a stream cannot be decompressed")]
    Compression,
    /// Headers that say more or less than they announce.
    #[error("the headers of a stream are malformed")]
    Headers,
    /// Headers beyond what is taken.
    #[error("the headers of a stream have more than {0} bytes")]
    HeadersTooLong(usize),
}
