//! SPDY/3.1 as far as Kubernetes speaks it: many streams of bytes over one connection, each opened with headers.
//!
//! Clients of the API server ask for it with `Upgrade: SPDY/3.1`. Nothing here reads or writes a connection: a reader takes
//! bytes and gives frames, a writer takes frames and gives bytes.
//!
//! Source: the protocol draft `draft-mbelshe-httpbis-spdy-00` (SPDY/3), and what `moby/spdystream` makes of it: it has no flow
//! control, so that `WINDOW_UPDATE` and `SETTINGS` mean nothing.

mod dictionary;
mod frame;
mod headers;
mod reader;
mod writer;

pub use frame::{Frame, FrameError, ResetStatus};
pub use headers::{HeaderBlock, value};
pub use reader::FrameReader;
pub use writer::FrameWriter;

#[cfg(test)]
mod tests;
