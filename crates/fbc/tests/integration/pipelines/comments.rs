//! The comments of an issue, as GitHub's API gives, takes and changes them. It is not at hand in a test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

pub(crate) struct Comments {
    pub(crate) address: String,
    issue: Arc<Mutex<Issue>>,
}

struct Issue {
    bodies: Vec<String>,
    /// Whether comments may only be read, as with the token of a pull request from a fork.
    is_read_only: bool,
}

impl Comments {
    /// Serves comments until the test ends.
    pub(crate) fn serve(first: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let bodies = first.iter().map(ToString::to_string).collect();
        let issue = Arc::new(Mutex::new(Issue { bodies, is_read_only: false }));
        let served = Arc::clone(&issue);
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &mut served.lock().unwrap());
            }
        });
        Self { address, issue }
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        self.issue.lock().unwrap().bodies.clone()
    }

    /// From now on, comments may only be read.
    pub(crate) fn refuse_changes(&self) {
        self.issue.lock().unwrap().is_read_only = true;
    }
}

fn answer(stream: TcpStream, issue: &mut Issue) {
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
    let said = || serde_json::from_slice::<Value>(&body).unwrap()["body"].as_str().unwrap().to_owned();
    let list = "/repos/me/catalogs/issues/7/comments";
    let pages = format!("{list}?per_page=100&page=");
    let comment = "/repos/me/catalogs/issues/comments/";
    let words: Vec<&str> = lines[0].split(' ').collect();
    let (status, answer) = match (words[0], words[1]) {
        ("get", path) if path.starts_with(&pages) => {
            let page: usize = path[pages.len()..].parse().unwrap();
            let comments = issue.bodies.iter().enumerate().map(|(id, body)| json!({"id": id, "body": body}));
            ("200 OK", comments.skip((page - 1) * 100).take(100).collect::<Value>())
        }
        (_, _) if issue.is_read_only => {
            ("403 Forbidden", json!({"message": "Resource not accessible by integration"}))
        }
        ("post", path) if path == list => {
            issue.bodies.push(said());
            ("201 Created", json!({}))
        }
        ("patch", path) if path.starts_with(comment) => {
            let id: usize = path[comment.len()..].parse().unwrap();
            issue.bodies[id] = said();
            ("200 OK", json!({}))
        }
        _ => ("404 Not Found", json!({"message": "Not Found"})),
    };
    let answer = answer.to_string();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    (&stream).write_all(format!("{head}{answer}").as_bytes()).unwrap();
}
