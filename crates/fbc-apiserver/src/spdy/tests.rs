//! Frames and their bytes.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;

/// All frames that some bytes hold, pushed in pieces of a length.
fn read(bytes: &[u8], piece: usize) -> Result<Vec<Frame>, FrameError> {
    let (mut reader, mut frames) = (FrameReader::default(), Vec::new());
    for piece in bytes.chunks(piece) {
        reader.push(piece);
        while let Some(frame) = reader.frame()? {
            frames.push(frame);
        }
    }
    Ok(frames)
}

fn data(stream: u32, bytes: &'static [u8], is_last: bool) -> Frame {
    Frame::Data { stream, bytes: Bytes::from_static(bytes), is_last }
}

#[test]
fn frames_and_their_bytes() {
    for (frame, bytes) in [
        (data(1, b"ab", false), &[0, 0, 0, 1, 0, 0, 0, 2, b'a', b'b'][..]),
        (data(3, b"", true), &[0, 0, 0, 3, 1, 0, 0, 0]),
        (Frame::Ping { id: 5 }, &[0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 5]),
        (Frame::Reset { stream: 1, status: 5 }, &[0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 5]),
        (Frame::GoAway { last: 7, status: 0 }, &[0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0, 0]),
        // SETTINGS, with nothing in it.
        (Frame::Other(4), &[0x80, 3, 0, 4, 0, 0, 0, 0]),
    ] {
        assert_eq!(read(bytes, 3), Ok(vec![frame.clone()]));
        assert_eq!(FrameWriter::default().write(&frame), bytes, "{frame:?}");
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    for (bytes, error) in [
        (&[0x80, 2, 0, 6, 0, 0, 0, 0][..], FrameError::Version(2)),
        (&[0, 0, 0, 0, 0, 0, 0, 0], FrameError::NoStream),
        (&[0, 0, 0, 1, 0, 0x20, 0, 0], FrameError::TooLong { length: 2 << 20, limit: 1 << 20 }),
        (&[0x80, 3, 0, 4, 0, 1, 0, 1], FrameError::TooLong { length: 65_537, limit: 65_536 }),
        (&[0x80, 3, 0, 6, 0, 0, 0, 2, 0, 0], FrameError::TooShort(6)),
        (&[0x80, 3, 0, 2, 0, 0, 0, 6, 0, 0, 0, 1, 0xff, 0xff], FrameError::Compression),
        (&[0x80, 3, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1], FrameError::Headers),
    ] {
        assert_eq!(read(bytes, 1), Err(error));
    }
}

/// What `moby/spdystream` writes for two streams, of which the second repeats the headers of the first.
const OPENED: [&str; 2] = [
    "80030001000000430000000100000000000078f9e3c6a7c2626060608694bf452520dac2c4c498818181b308125f99290c0c0c8c06e09458\
     52949a980b2d6c58538b8af28b00000000ffff",
    "800300010000001b00000003000000000000826a46956249492c49246c24000000ffff",
];

#[test]
fn headers_are_those_that_clients_write() {
    let bytes: Vec<u8> = OPENED.iter().flat_map(|hex| decoded(hex)).collect();
    let headers = |of: &str| {
        [("port", "8443"), ("requestid", "0"), ("streamtype", of)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let frames = read(&bytes, 7).unwrap();
    for (frame, (number, of)) in frames.iter().zip([(1, "error"), (3, "data")]) {
        let Frame::Open { stream, headers: found, is_last: false } = frame else { panic!("{frame:?}") };
        let mut found = found.clone();
        found.sort();
        assert_eq!((*stream, found.as_slice()), (number, &headers(of)[..]));
    }
    assert_eq!(frames.len(), 2);
}

fn decoded(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn headers_that_grow_when_they_are_read_are_refused() {
    let headers = vec![("a".to_owned(), "b".repeat(1 << 20))];
    let bytes = FrameWriter::default().write(&Frame::Accept { stream: 1, headers });
    assert!(bytes.len() < 64 << 10, "they are short when they are sent");
    assert_eq!(read(&bytes, bytes.len()), Err(FrameError::HeadersTooLong(64 << 10)));
}

fn any_headers() -> impl Strategy<Value = HeaderBlock> {
    prop::collection::btree_map("[a-z-]{1,20}", ".{0,200}", 0..20).prop_map(|map| map.into_iter().collect())
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let stream = 1..u32::MAX >> 1;
    prop_oneof![
        (stream.clone(), any_headers(), any::<bool>()).prop_map(|(stream, headers, is_last)| Frame::Open {
            stream,
            headers,
            is_last
        }),
        (stream.clone(), any_headers()).prop_map(|(stream, headers)| Frame::Accept { stream, headers }),
        (stream.clone(), any_headers(), any::<bool>())
            .prop_map(|(stream, headers, is_last)| Frame::Headers { stream, headers, is_last }),
        (stream.clone(), any::<u32>()).prop_map(|(stream, status)| Frame::Reset { stream, status }),
        any::<u32>().prop_map(|id| Frame::Ping { id }),
        (stream.clone(), any::<u32>()).prop_map(|(last, status)| Frame::GoAway { last, status }),
        (stream, prop::collection::vec(any::<u8>(), 0..300), any::<bool>())
            .prop_map(|(stream, bytes, is_last)| Frame::Data { stream, bytes: bytes.into(), is_last }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        frames in prop::collection::vec(any_frame(), 0..20),
        piece in 1..5000_usize,
    ) {
        let mut writer = FrameWriter::default();
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| writer.write(frame)).collect();
        prop_assert_eq!(read(&bytes, piece), Ok(frames));
    }

    #[test]
    fn any_bytes_are_frames_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read(&bytes, 100);
    }
}
