//! A registry in this process that can misbehave. It speaks enough HTTP/1.1 for one request per connection.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use sha2::Digest;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::habits::{Counts, Habits};

/// What goes wrong with the next request that fits.
#[derive(Clone, Debug)]
pub enum Misdeed {
    /// An answer instead of the right one: the whole head and body.
    Answer(String),
    /// The right answer, cut after that many bytes of its body.
    CutBody(usize),
    /// The right answer with other bytes of the same number.
    WrongBytes,
    /// The connection closes after that many bytes of the request's body were kept.
    CutRequest(usize),
    /// The work is done, but the answer is lost.
    LoseAnswer,
    /// The upload session is forgotten.
    Forget,
    /// The right answer, a byte of its body every so often.
    Trickle(std::time::Duration),
    /// The right answer, as soon as so many requests wait for theirs as the barrier says.
    Meet(Arc<tokio::sync::Barrier>),
    /// After that many bytes of the body, the request's or else the answer's, nothing comes any more.
    Stall(usize),
}

impl Misdeed {
    /// An answer of this head and body.
    pub fn answer(head: &str, body: &str) -> Self {
        let length = body.len();
        Self::Answer(format!(
            "HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ))
    }
}

/// What the registry holds and has seen, and how it is to misbehave.
#[derive(Default)]
pub struct State {
    /// `METHOD path` prefixes with what happens to the next request that begins so.
    pub misdeeds: VecDeque<(String, Misdeed)>,
    /// What happens to every request that begins so, for as long as this is here.
    pub insists_on: Option<(String, Misdeed)>,
    /// One line a request: method, path with query, `Authorization`, `Range`.
    pub log: Vec<String>,
    /// Blobs by their digests.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// Which repository has which blob: `repository@digest`.
    pub held: std::collections::BTreeSet<String>,
    /// By `repository:tag` and `repository@digest`: media type and bytes.
    pub manifests: BTreeMap<String, (String, Vec<u8>)>,
    uploads: BTreeMap<String, Vec<u8>>,
    /// `Bearer …` or `Basic …` that is let in; none lets everybody in.
    pub wanted: Option<String>,
    /// The `WWW-Authenticate` of a refusal.
    pub challenge: String,
    /// What the token server gives next: status and body; the last one stays.
    pub tokens: VecDeque<(u16, String)>,
    /// The form that the token server was sent last.
    pub last_form: String,
    /// Answers requests for parts with the whole.
    pub ignores_ranges: bool,
    /// Who stalls does not even begin its answer.
    pub says_nothing: bool,
    /// Parts of uploads are answered as if nothing had come.
    pub keeps_nothing: bool,
    /// What it does otherwise than others.
    pub habits: Habits,
    /// The parts of uploads that came: `Content-Range`, if there was one, and the number of bytes.
    pub parts: Vec<(Option<String>, usize)>,
    /// Told when a connection stalls.
    pub stalled: Option<std::sync::mpsc::Sender<()>>,
}

/// A running registry; it ends with the runtime.
#[derive(Clone)]
pub struct Registry {
    /// Where it listens, as `127.0.0.1:5000`.
    pub host: String,
    /// What it holds.
    pub state: Arc<Mutex<State>>,
}

/// The digest of these bytes, as `sha256:…`.
pub fn digest(bytes: &[u8]) -> String {
    let hex: String = sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
    broken: bool,
}

impl Registry {
    /// Listens on a free port of the loopback interface.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let registry = Self { host, state: Arc::default() };
        let serving = registry.clone();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(connection));
            }
        });
        registry
    }

    /// One in a thread of this process; it ends with the process.
    pub fn in_thread() -> Self {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                sender.send(Self::start().await).unwrap();
                std::future::pending::<()>().await;
            });
        });
        receiver.recv().unwrap()
    }

    /// Lets something go wrong with the next request that begins so.
    pub fn misbehave(&self, request: &str, misdeed: Misdeed) {
        self.state.lock().unwrap().misdeeds.push_back((request.to_owned(), misdeed));
    }

    /// Answers the next request that begins so with this head and body.
    pub fn answer(&self, request: &str, head: &str, body: &str) {
        self.misbehave(request, Misdeed::answer(head, body));
    }

    /// Keeps a blob for a repository.
    pub fn hold(&self, repository: &str, bytes: &[u8]) -> String {
        let digest = digest(bytes);
        let mut state = self.state.lock().unwrap();
        state.blobs.insert(digest.clone(), bytes.to_vec());
        state.held.insert(format!("{repository}@{digest}"));
        digest
    }

    /// The requests so far, a line each.
    pub fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().log)
    }

    async fn serve(self, mut connection: TcpStream) {
        let Some((mut request, announced)) = read_head(&mut connection).await else { return };
        let line = format!("{} {}", request.method, request.path);
        let misdeed = {
            let mut state = self.state.lock().unwrap();
            let part =
                |name: &str| request.headers.get(name).map(|value| format!(" {value}")).unwrap_or_default();
            let query = if request.query.is_empty() { String::new() } else { format!("?{}", request.query) };
            state.log.push(format!("{line}{query}{}{}", part("authorization"), part("range")));
            let fits = |(prefix, _): &&(String, Misdeed)| line.starts_with(prefix.as_str());
            match state.misdeeds.front().filter(fits).is_some() {
                true => state.misdeeds.pop_front(),
                false => state.insists_on.as_ref().filter(fits).cloned(),
            }
        };
        let misdeed = misdeed.map(|(_, misdeed)| misdeed);
        let limit = match &misdeed {
            Some(Misdeed::CutRequest(limit) | Misdeed::Stall(limit)) => *limit,
            _ => usize::MAX,
        };
        read_body(&mut connection, &mut request, announced, limit).await;
        if matches!(misdeed, Some(Misdeed::Stall(_))) && announced > 0 {
            return self.stall(connection).await;
        }
        if matches!(misdeed, Some(Misdeed::Stall(_))) && self.state.lock().unwrap().says_nothing {
            return self.stall(connection).await;
        }
        if let Some(Misdeed::Meet(barrier)) = &misdeed {
            barrier.wait().await;
        }
        let (head, body) = match &misdeed {
            Some(Misdeed::Answer(text)) => {
                let _ = connection.write_all(text.as_bytes()).await;
                return;
            }
            Some(Misdeed::Forget) => {
                self.state.lock().unwrap().uploads.clear();
                self.handle(&request)
            }
            _ => self.handle(&request),
        };
        let mut sent = if request.method == "HEAD" { Vec::new() } else { body.clone() };
        match misdeed {
            Some(Misdeed::CutRequest(_) | Misdeed::LoseAnswer) => return,
            Some(Misdeed::CutBody(length) | Misdeed::Stall(length)) => sent.truncate(length),
            Some(Misdeed::WrongBytes) => sent.iter_mut().for_each(|byte| *byte ^= 1),
            _ => {}
        }
        let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        let _ = connection.write_all(head.as_bytes()).await;
        if let Some(Misdeed::Trickle(pause)) = misdeed {
            for byte in sent {
                tokio::time::sleep(pause).await;
                if connection.write_all(&[byte]).await.is_err() {
                    return;
                }
            }
            return;
        }
        let _ = connection.write_all(&sent).await;
        if matches!(misdeed, Some(Misdeed::Stall(_))) {
            self.stall(connection).await;
        }
    }

    /// Holds a connection without a word until the other side is gone.
    async fn stall(&self, mut connection: TcpStream) {
        let stalled = self.state.lock().unwrap().stalled.clone();
        stalled.map(|sender| sender.send(()));
        let mut buffer = vec![0; 1024];
        while connection.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
    }

    fn handle(&self, request: &Request) -> (String, Vec<u8>) {
        let mut guard = self.state.lock().unwrap();
        let state = &mut *guard;
        let error = |status: &str, code: &str| {
            let body = format!(r#"{{"errors":[{{"code":"{code}","message":"the registry says {code}"}}]}}"#);
            (status.to_owned(), body.into_bytes())
        };
        if request.path == "/token" {
            state.last_form = String::from_utf8_lossy(&request.body).into_owned();
            let given =
                if state.tokens.len() > 1 { state.tokens.pop_front() } else { state.tokens.front().cloned() };
            let (status, body) = given.unwrap();
            return (format!("{status} X"), body.into_bytes());
        }
        if let Some(wanted) = &state.wanted
            && request.headers.get("authorization") != Some(wanted)
        {
            let (head, body) = error("401 Unauthorized", "UNAUTHORIZED");
            return (format!("{head}\r\nWWW-Authenticate: {}", state.challenge), body);
        }
        let path = request.path.strip_prefix("/v2/").unwrap_or_default();
        let habits = state.habits.clone();
        if habits.has_no_head && request.method == "HEAD" {
            return error("405 Method Not Allowed", "UNSUPPORTED");
        }
        if let Some((repository, id)) = path.split_once("/manifests/") {
            let separator = if id.contains(':') { '@' } else { ':' };
            if request.method == "PUT" {
                let digest = digest(&request.body);
                let kind = request.headers["content-type"].clone();
                if habits.is_dockers && kind.contains(".oci.") {
                    return error("415 Unsupported Media Type", "MANIFEST_INVALID");
                }
                if habits.keeps_tags
                    && separator == ':'
                    && state.manifests.contains_key(&format!("{repository}:{id}"))
                {
                    return error("400 Bad Request", "TAG_INVALID");
                }
                for key in [format!("{repository}{separator}{id}"), format!("{repository}@{digest}")] {
                    state.manifests.insert(key, (kind.clone(), request.body.clone()));
                }
                return (format!("201 Created\r\nDocker-Content-Digest: {digest}"), Vec::new());
            }
            let of_digest = habits.takes_tags_for_digests.then(|| id.replacen("sha256-", "sha256:", 1));
            let found = state.manifests.get(&format!("{repository}{separator}{id}"));
            return match found.or_else(|| state.manifests.get(&format!("{repository}@{}", of_digest?))) {
                Some((kind, bytes)) if habits.hides_digests => {
                    (format!("200 OK\r\nContent-Type: {kind}"), bytes.clone())
                }
                Some((kind, bytes)) => {
                    let digest = digest(bytes);
                    (
                        format!("200 OK\r\nContent-Type: {kind}\r\nDocker-Content-Digest: {digest}"),
                        bytes.clone(),
                    )
                }
                None => error("404 Not Found", "MANIFEST_UNKNOWN"),
            };
        }
        if let Some((repository, session)) = path.split_once("/blobs/uploads/") {
            return self.upload(state, request, repository, session);
        }
        if let Some((repository, id)) = path.split_once("/blobs/") {
            let Some(bytes) =
                state.blobs.get(id).filter(|_| state.held.contains(&format!("{repository}@{id}")))
            else {
                return error("404 Not Found", "BLOB_UNKNOWN");
            };
            let first = request
                .headers
                .get("range")
                .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
            return match first.filter(|_| !state.ignores_ranges) {
                Some(first) => {
                    let total = bytes.len();
                    let head =
                        format!("206 Partial Content\r\nContent-Range: bytes {first}-{}/{total}", total - 1);
                    (head, bytes[first..].to_vec())
                }
                None => ("200 OK".to_owned(), bytes.clone()),
            };
        }
        ("200 OK".to_owned(), Vec::new())
    }

    fn upload(
        &self,
        state: &mut State,
        request: &Request,
        repository: &str,
        session: &str,
    ) -> (String, Vec<u8>) {
        let answer = |head: String| (head, Vec::new());
        let parameter = |name: &str| {
            let value = url::form_urlencoded::parse(request.query.as_bytes()).find(|(key, _)| key == name);
            value.map(|(_, value)| value.into_owned())
        };
        if request.method == "POST" {
            if let (Some(status), Some(_)) = (state.habits.mounts_with, parameter("mount")) {
                return answer(format!("{status} X"));
            }
            if let (Some(digest), Some(from)) = (parameter("mount"), parameter("from"))
                && state.held.contains(&format!("{from}@{digest}"))
            {
                state.held.insert(format!("{repository}@{digest}"));
                return answer("201 Created".to_owned());
            }
            let name = format!("s{}", state.log.len());
            state.uploads.insert(name.clone(), Vec::new());
            let least = state.habits.least_part.map(|least| format!("\r\nOCI-Chunk-Min-Length: {least}"));
            return answer(format!(
                "202 Accepted\r\nLocation: /v2/{repository}/blobs/uploads/{name}?state=1{}",
                least.unwrap_or_default()
            ));
        }
        let Some(kept) = state.uploads.get_mut(session) else { return answer("404 Not Found".to_owned()) };
        let too_large = |most: Option<usize>| most.is_some_and(|most| request.body.len() > most);
        let refused = |status: &str| {
            let body = r#"{"errors":[{"code":"SIZE_INVALID","message":"the request body is too large"}]}"#;
            (status.to_owned(), body.as_bytes().to_vec())
        };
        if too_large(state.habits.largest_request) {
            return refused("413 Content Too Large");
        }
        match request.method.as_str() {
            "PATCH" | "PUT" => {
                let range = request.headers.get("content-range").cloned();
                if range.is_some() && too_large(state.habits.largest_part) {
                    return refused("416 Range Not Satisfiable");
                }
                if request.method == "PATCH" {
                    state.parts.push((range, request.body.len()));
                }
                if let Some(range) = request.headers.get("content-range")
                    && range.split('-').next().and_then(|first| first.parse().ok()) != Some(kept.len())
                {
                    return answer("416 Range Not Satisfiable".to_owned());
                }
                if !state.keeps_nothing {
                    kept.extend_from_slice(&request.body);
                }
            }
            _ => {}
        }
        let (length, whole) = (kept.len(), kept.clone());
        if request.method == "PUT" && !request.broken {
            state.uploads.remove(session);
            let digest = digest(&whole);
            if parameter("digest").as_deref() != Some(&digest) {
                return (
                    "400 Bad Request".to_owned(),
                    br#"{"errors":[{"code":"DIGEST_INVALID","message":"no"}]}"#.to_vec(),
                );
            }
            state.held.insert(format!("{repository}@{digest}"));
            state.blobs.insert(digest, whole);
            return answer("201 Created".to_owned());
        }
        let status = if request.method == "PATCH" { "202 Accepted" } else { "204 No Content" };
        let last = match state.habits.counts {
            Counts::OfPart if request.method == "PATCH" => request.body.len().saturating_sub(1),
            Counts::Number if request.method == "PATCH" => length,
            _ => length.saturating_sub(1),
        };
        let location = format!("/v2/{repository}/blobs/uploads/{session}?state={length}");
        answer(format!("{status}\r\nLocation: {location}\r\nRange: 0-{last}"))
    }
}

async fn read_head(connection: &mut TcpStream) -> Option<(Request, usize)> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(connection.read_u8().await.ok()?);
        // Who greets in TLS gets no answer.
        if bytes == [0x16] {
            return None;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?);
    // A proxy is asked with the whole address.
    let target = target.strip_prefix("http://registry.test").unwrap_or(target);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let announced = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let (path, query) = (path.to_owned(), query.to_owned());
    Some((Request { method, path, query, headers, body: Vec::new(), broken: false }, announced))
}

async fn read_body(connection: &mut TcpStream, request: &mut Request, announced: usize, limit: usize) {
    let mut buffer = vec![0; 64 * 1024];
    while request.body.len() < announced.min(limit) {
        match connection.read(&mut buffer).await {
            Ok(read) if read > 0 => request.body.extend_from_slice(&buffer[..read]),
            _ => {
                request.broken = true;
                return;
            }
        }
    }
    if limit < announced {
        request.body.truncate(limit);
        request.broken = true;
    }
}
