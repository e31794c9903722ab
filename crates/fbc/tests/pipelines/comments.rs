//! The comments of an issue, as GitHub's API gives, takes and changes them. It is not at hand in a test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

pub(crate) struct Comments {
    pub(crate) address: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Comments {
    /// Serves comments until the test ends.
    pub(crate) fn serve(first: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(first.iter().map(ToString::to_string).collect::<Vec<_>>()));
        let served = Arc::clone(&bodies);
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &served);
            }
        });
        Self { address, bodies }
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

fn answer(stream: TcpStream, bodies: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_lowercase());
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    assert!(lines.contains(&"authorization: bearer token".to_owned()), "{lines:?}");
    let mut bodies = bodies.lock().unwrap();
    let said = || serde_json::from_slice::<Value>(&body).unwrap()["body"].as_str().unwrap().to_owned();
    let list = "/repos/me/catalogs/issues/7/comments";
    let words: Vec<&str> = lines[0].split(' ').collect();
    let (status, answer) = match (words[0], words[1]) {
        ("get", path) if path == format!("{list}?per_page=100&page=1") => {
            let comments = bodies.iter().enumerate().map(|(id, body)| json!({"id": id, "body": body}));
            ("200 OK", comments.collect::<Value>())
        }
        ("post", path) if path == list => {
            bodies.push(said());
            ("201 Created", json!({}))
        }
        ("patch", path) => {
            let id: usize = path.rsplit('/').next().unwrap().parse().unwrap();
            bodies[id] = said();
            ("200 OK", json!({}))
        }
        _ => ("404 Not Found", json!({"message": "Not Found"})),
    };
    let answer = answer.to_string();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    (&stream).write_all(format!("{head}{answer}").as_bytes()).unwrap();
}
