//! Messages from and to streams, with a bound on what one message may take.
//!
//! The reader of `lsp-server` allocates whatever a message says that it has, and decodes it by trying one form after
//! another, with a copy of the text for each. A file of hundreds of MiB that is opened would cost gigabytes.

use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response, ResponseError};
use lsp_types::notification::{Notification as _, ShowMessage};
use lsp_types::{MessageType, ShowMessageParams};
use serde::Deserialize;
use serde_json::Value;

use crate::catalog::MAX_BYTES;

/// Bytes of a message beyond which it is skipped: a text of [`MAX_BYTES`] with what JSON escapes in it.
pub const MAX_MESSAGE_BYTES: usize = MAX_BYTES / 2 * 3;

/// Bytes of the head of a message, which is two short lines.
const MAX_HEAD_BYTES: u64 = 4 << 10;

/// The threads that read and write; they end with their streams.
#[derive(Debug)]
pub struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until everything is written, after the connection is dropped.
    ///
    /// # Errors
    /// What kept messages from being read or written.
    pub fn join(self) -> io::Result<()> {
        let broken = |_| io::Error::other("the thread of the connection panicked");
        self.reader.join().map_err(broken)??;
        self.writer.join().map_err(broken)?
    }
}

/// Connects streams of the protocol.
///
/// # Errors
/// The system has no threads left.
pub fn connect(
    mut input: impl BufRead + Send + 'static,
    mut output: impl Write + Send + 'static,
) -> io::Result<(Connection, Threads)> {
    // What is read waits for the loop; what is written must not keep it from its work.
    let (incoming, receiver) = bounded(0);
    let (sender, outgoing): (Sender<Message>, Receiver<Message>) = unbounded();
    let told = sender.clone();
    let reader = thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || read_all(&mut input, &incoming, told))?;
    let writer = thread::Builder::new()
        .name("writer".to_owned())
        .spawn(move || outgoing.iter().try_for_each(|message| message.write(&mut output)))?;
    Ok((Connection { sender, receiver }, Threads { reader, writer }))
}

fn read_all(input: &mut dyn BufRead, incoming: &Sender<Message>, told: Sender<Message>) -> io::Result<()> {
    loop {
        match read(input, MAX_MESSAGE_BYTES)? {
            None => return Ok(()),
            Some(Incoming::Message(message)) => {
                let is_exit = matches!(&message, Message::Notification(told) if told.method == "exit");
                // The loop is gone: there is nobody to read for.
                if incoming.send(message).is_err() || is_exit {
                    return Ok(());
                }
            }
            Some(Incoming::TooLarge { bytes }) => {
                let text = format!(
                    "the editor sent a message of {} MiB, which is not looked at: files may have up to {} MiB",
                    bytes >> 20,
                    MAX_BYTES >> 20
                );
                let params = ShowMessageParams { typ: MessageType::WARNING, message: text };
                // A client that is gone is noticed when the next message is read.
                let _ = told.send(Notification::new(ShowMessage::METHOD.to_owned(), params).into());
            }
        }
    }
}

/// What was read.
#[derive(Debug)]
enum Incoming {
    Message(Message),
    TooLarge { bytes: u64 },
}

/// A message of any kind.
#[derive(Deserialize)]
struct Fields {
    id: Option<RequestId>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
    error: Option<ResponseError>,
}

/// The next message; nothing at the end of the stream. One of more than `most` bytes is skipped.
fn read(input: &mut dyn BufRead, most: usize) -> io::Result<Option<Incoming>> {
    let Some(length) = read_head(input)? else { return Ok(None) };
    if length > most as u64 {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        return match skipped == length {
            true => Ok(Some(Incoming::TooLarge { bytes: length })),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        };
    }
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let Fields { id, method, params, result, error } = serde_json::from_slice(&body)
        .map_err(|error| invalid(format!("a message is not JSON-RPC: {error}")))?;
    let message = match (id, method) {
        (Some(id), Some(method)) => Request { id, method, params }.into(),
        (None, Some(method)) => Notification { method, params }.into(),
        (Some(id), None) => Response { id, result, error }.into(),
        (None, None) => return Err(invalid("a message has neither `id` nor `method`".to_owned())),
    };
    Ok(Some(Incoming::Message(message)))
}

/// The number of bytes that follow the head of a message; nothing at the end of the stream.
fn read_head(input: &mut dyn BufRead) -> io::Result<Option<u64>> {
    let mut head = input.take(MAX_HEAD_BYTES);
    let mut length = None;
    let mut line = String::new();
    loop {
        line.clear();
        if head.read_line(&mut line)? == 0 {
            return match (length, head.limit()) {
                (None, left) if left == MAX_HEAD_BYTES => Ok(None),
                _ => Err(io::Error::new(io::ErrorKind::InvalidData, "a message has no complete head")),
            };
        }
        let invalid =
            || io::Error::new(io::ErrorKind::InvalidData, format!("not a header: {:?}", line.trim_end()));
        let Some(header) = line.strip_suffix("\r\n") else { return Err(invalid()) };
        if header.is_empty() {
            let missing = || io::Error::new(io::ErrorKind::InvalidData, "a message has no Content-Length");
            return length.map(Some).ok_or_else(missing);
        }
        let (name, value) = header.split_once(": ").ok_or_else(invalid)?;
        if name.eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse().map_err(|_| invalid())?);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;

    fn message(json: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{json}", json.len())
    }

    /// What is read from a text, one word for each message.
    fn words(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let mut words = Vec::new();
        loop {
            words.push(match read(&mut input, 100) {
                Ok(Some(Incoming::Message(Message::Request(request)))) => {
                    format!("request {}", request.method)
                }
                Ok(Some(Incoming::Message(Message::Notification(told)))) => format!("told {}", told.method),
                Ok(Some(Incoming::Message(Message::Response(answer)))) => format!("answer {}", answer.id),
                Ok(Some(Incoming::TooLarge { bytes })) => format!("skipped {bytes}"),
                Ok(None) => return words,
                Err(error) => {
                    words.push(error.to_string());
                    return words;
                }
            });
        }
    }

    #[test]
    fn messages_of_all_kinds() {
        let large = format!(r#"{{"method": "{}"}}"#, "x".repeat(200));
        let text = [
            message(r#"{"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"b": [1]}}"#),
            message(&large),
            message(r#"{"method": "b"}"#),
            message(r#"{"id": "x", "result": null}"#),
            "content-length: 14\r\nContent-Type: x\r\n\r\n{\"method\":\"c\"}".to_owned(),
        ];
        assert_eq!(words(&text.concat()), ["request a", "skipped 214", "told b", "answer \"x\"", "told c"]);
    }

    #[test]
    fn nonsense_is_named() {
        let line = format!("X: {}\r\n", "y".repeat(5 << 10));
        for (text, reason) in [
            ("hello\r\n\r\n", "not a header: \"hello\""),
            ("Content-Length: -1\r\n\r\n{}", "not a header: \"Content-Length: -1\""),
            ("Content-Length: 2", "not a header: \"Content-Length: 2\""),
            ("Content-Type: x\r\n\r\n{}", "a message has no Content-Length"),
            ("Content-Length: 2\r\n", "a message has no complete head"),
            (&message("{"), "a message is not JSON-RPC: EOF while parsing an object at line 1 column 1"),
            (&message("{}"), "a message has neither `id` nor `method`"),
            ("Content-Length: 9\r\n\r\n{", "failed to fill whole buffer"),
            ("Content-Length: 999\r\n\r\n{", "unexpected end of file"),
        ] {
            assert_eq!(words(text), [reason], "{text:?}");
        }
        assert!(words(&line).concat().starts_with("not a header"));
    }
}
