//! Any bytes as a SPDY connection: frames come out, or what is wrong; they are the same in whatever pieces the bytes come,
//! and what is written of them is read as the same frames.
#![no_main]

use fbc_apiserver::spdy::{Frame, FrameError, FrameReader, FrameWriter};
use libfuzzer_sys::fuzz_target;

fn frames<'b>(pieces: impl Iterator<Item = &'b [u8]>) -> (Vec<Frame>, Option<FrameError>) {
    let mut reader = FrameReader::default();
    let mut frames = Vec::new();
    for piece in pieces {
        reader.push(piece);
        loop {
            match reader.frame() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, Some(error)),
            }
        }
    }
    (frames, None)
}

fuzz_target!(|bytes: &[u8]| {
    let whole = frames(std::iter::once(bytes));
    assert_eq!(frames(bytes.chunks(7)), whole);
    let mut writer = FrameWriter::default();
    let written: Vec<u8> = whole.0.iter().flat_map(|frame| writer.write(frame)).collect();
    let read = frames(std::iter::once(written.as_slice()));
    assert_eq!(read, (whole.0, None));
});
