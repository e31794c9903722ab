//! Images that a served cluster pulls: from its own registry, and from those of the world. Every answer is written into the
//! session, so that it is played again without any registry.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fbc_go::base64;
use fbc_image::{ImageError, LocalReference, Transport};
use fbc_model::tree::{self, DiskTree, MemoryTree, Tree, TreeEntry};
use fbc_olm::content::{ImageContent, Outside, PullError};
use fbc_source::Session;
use fbc_source::image_source::{ImageName, Unpacked, unpack_opened};
use serde_json::{Map, Value, json};

use super::trace::Trace;
use crate::server::trace::TraceFault;

/// The cluster's own registry, for references that stay the same whatever its port.
pub const REGISTRY_NAME: &str = "registry.cluster.local";

/// What could not be pulled is not asked for again so soon: controllers try many times while no time of the machine goes by.
const PATIENCE: Duration = Duration::from_secs(30);
/// So long a tag means the same image: polls of virtual time come faster than any push.
const FRESH: Duration = Duration::from_secs(5);

/// The cluster's own registry, as those see it who pull from it.
pub(super) struct OwnRegistry {
    /// Its names, with ports.
    hosts: Vec<String>,
    /// The layout that holds its images.
    directory: PathBuf,
}

impl OwnRegistry {
    /// The registry at an address, which clients on this machine may call localhost as well.
    pub(super) fn new(address: SocketAddr, directory: &Path) -> Self {
        let hosts =
            vec![address.to_string(), format!("localhost:{}", address.port()), REGISTRY_NAME.to_owned()];
        Self { hosts, directory: directory.to_path_buf() }
    }

    fn image(&self, name: &str) -> LocalReference {
        let (path, name) = (self.directory.clone(), Some(name.to_owned()));
        LocalReference { transport: Transport::Oci, path, name }
    }
}

/// When a registry answered, and the digest of a tag or why something cannot be pulled.
type Answered = (Instant, Result<String, String>);

/// All registries that a cluster reaches.
pub(super) struct Registries {
    pub(super) session: Session,
    pub(super) own: Option<OwnRegistry>,
    pub(super) trace: Option<Trace>,
    /// The digests of tags, and why something could not be pulled, by reference, each with the moment of the answer.
    pub(super) recent: RefCell<BTreeMap<String, Answered>>,
}

impl Registries {
    /// The image of a tag (`:v1`) or digest (`@sha256:…`), wherever it lies.
    fn name(&self, repository: &str, suffix: &str) -> ImageName {
        match self.own(repository) {
            Some((own, path)) => ImageName::Local(own.image(&format!("{path}{suffix}"))),
            None => ImageName::Registry(format!("docker://{repository}{suffix}")),
        }
    }

    /// The cluster's own registry and the path of the repository there, if that is where it lies.
    fn own<'r>(&self, repository: &'r str) -> Option<(&OwnRegistry, &'r str)> {
        let (host, path) = repository.split_once('/')?;
        let own = self.own.as_ref().filter(|own| own.hosts.iter().any(|known| known == host))?;
        Some((own, path))
    }

    /// What a registry answered a moment ago.
    fn recent(&self, reference: &str) -> Option<Result<String, String>> {
        let recent = self.recent.borrow();
        let (when, answer) = recent.get(reference)?;
        let lasts = if answer.is_ok() { FRESH } else { PATIENCE };
        (when.elapsed() < lasts).then(|| answer.clone())
    }

    /// The cluster's own registry costs nothing, and what is pushed there is meant to be seen at once.
    fn remember(&self, repository: &str, reference: String, answer: Result<String, String>) {
        if self.own(repository).is_none() {
            self.recent.borrow_mut().insert(reference, (Instant::now(), answer));
        }
    }

    fn digest_of(&self, repository: &str, tag: &str) -> Result<String, String> {
        match self.name(repository, &format!(":{tag}")) {
            ImageName::Local(reference) => {
                let image = reference.open().map_err(|error| match error {
                    ImageError::NoImage { .. } => {
                        format!("reading manifest {tag} in {repository}: manifest unknown")
                    }
                    error => error.to_string(),
                })?;
                Ok(image.root().digest().to_string())
            }
            ImageName::Registry(text) => {
                let open = self.session.open().map_err(|failure| failure.line())?;
                open.digest_now(&text).map_err(|failure| failure.line())
            }
        }
    }

    fn content_of(&self, repository: &str, digest: &str) -> Result<ImageContent, String> {
        let name = match self.own(repository) {
            // What no client pushed has no name by its digest; the layout finds it by the digest alone.
            Some((own, _)) => ImageName::Local(own.image(digest)),
            None => self.name(repository, &format!("@{digest}")),
        };
        let opened = name.open(self.session.platform(), &self.session).map_err(|failure| failure.line())?;
        let text = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let labels = opened.image.labels().into_iter().map(text).collect();
        let unpacked = unpack_opened(&name, &opened, &self.session).map_err(|failure| failure.line())?;
        Ok(ImageContent { labels, files: Arc::new(UnpackedTree::new(unpacked)) })
    }

    fn record(&self, reference: String, answer: Result<Value, String>) {
        if let Some(trace) = &self.trace {
            let mut line = answer.unwrap_or_else(|why| json!({ "error": why }));
            line["reference"] = Value::String(reference);
            trace.write(&json!({ "image": line }));
        }
    }
}

impl Outside for Registries {
    fn digest(&self, repository: &str, tag: &str) -> Result<String, PullError> {
        let reference = format!("{repository}:{tag}");
        let answer = self.recent(&reference).unwrap_or_else(|| {
            let answer = self.digest_of(repository, tag);
            self.remember(repository, reference.clone(), answer.clone());
            answer
        });
        self.record(reference, answer.clone().map(|digest| json!({ "digest": digest })));
        answer.map_err(PullError::retryable)
    }

    fn content(&self, repository: &str, digest: &str) -> Result<ImageContent, PullError> {
        let reference = format!("{repository}@{digest}");
        let refused = self.recent(&reference).and_then(Result::err);
        let answer = refused.map(Err).unwrap_or_else(|| {
            let answer = self.content_of(repository, digest);
            if let Err(why) = &answer {
                self.remember(repository, reference.clone(), Err(why.clone()));
            }
            answer
        });
        if self.trace.is_some() {
            let recorded = match &answer {
                Ok(content) => recorded_content(content).map_err(|error| error.to_string()),
                Err(why) => Err(why.clone()),
            };
            self.record(reference, recorded);
        }
        answer.map_err(PullError::retryable)
    }
}

/// What was unpacked, kept as long as its files are needed.
struct UnpackedTree {
    tree: DiskTree,
    _unpacked: Unpacked,
}

impl UnpackedTree {
    fn new(unpacked: Unpacked) -> Self {
        Self { tree: DiskTree { root: unpacked.folder.path().to_path_buf() }, _unpacked: unpacked }
    }
}

impl Tree for UnpackedTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.tree.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.tree.read(file)
    }
}

/// Labels and files as a session holds them.
fn recorded_content(content: &ImageContent) -> io::Result<Value> {
    let mut files = Map::new();
    for path in tree::files(content.files.as_ref())? {
        let file = match String::from_utf8(content.files.read(&path)?) {
            Ok(text) => json!({ "text": text }),
            Err(error) => json!({ "base64": base64::encode(error.as_bytes()) }),
        };
        files.insert(path.to_string_lossy().into_owned(), file);
    }
    Ok(json!({"labels": content.labels, "files": files}))
}

/// The registries of a session that is played again: each answer once, in their order, the last one for ever.
#[derive(Default)]
pub(super) struct RecordedImages {
    answers: RefCell<BTreeMap<String, VecDeque<Value>>>,
}

impl RecordedImages {
    /// Takes a line in. False if it does not speak of an image.
    pub(super) fn take(&mut self, line: &Value) -> Result<bool, TraceFault> {
        let Some(image) = line.get("image") else { return Ok(false) };
        let reference = image["reference"].as_str().ok_or(TraceFault::NoReference)?.to_owned();
        if !["digest", "error", "files"].iter().any(|answer| image.get(answer).is_some()) {
            return Err(TraceFault::NoAnswer);
        }
        self.answers.get_mut().entry(reference).or_default().push_back(image.clone());
        Ok(true)
    }

    fn next(&self, reference: &str) -> Result<Value, String> {
        let mut answers = self.answers.borrow_mut();
        let unknown = || format!("{reference} was not pulled in the session");
        let waiting = answers.get_mut(reference).ok_or_else(unknown)?;
        let answer = if waiting.len() > 1 { waiting.pop_front() } else { waiting.front().cloned() };
        let answer = answer.ok_or_else(unknown)?;
        match answer["error"].as_str() {
            Some(why) => Err(why.to_owned()),
            None => Ok(answer),
        }
    }
}

impl Outside for RecordedImages {
    fn digest(&self, repository: &str, tag: &str) -> Result<String, PullError> {
        let answer = self.next(&format!("{repository}:{tag}")).map_err(PullError::retryable)?;
        Ok(answer["digest"].as_str().unwrap_or_default().to_owned())
    }

    fn content(&self, repository: &str, digest: &str) -> Result<ImageContent, PullError> {
        let answer = self.next(&format!("{repository}@{digest}")).map_err(PullError::retryable)?;
        let object = |field: &str| answer[field].as_object().into_iter().flatten();
        let label = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
        let mut files = MemoryTree::default();
        for (path, file) in object("files") {
            let bytes = match file["base64"].as_str() {
                Some(text) => {
                    base64::decode(text).map_err(|error| PullError::retryable(error.to_string()))?
                }
                None => file["text"].as_str().unwrap_or_default().as_bytes().to_vec(),
            };
            files.insert(path, bytes);
        }
        Ok(ImageContent { labels: object("labels").filter_map(label).collect(), files: Arc::new(files) })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use fbc_app::settings::Settings;

    #[test]
    fn what_cannot_be_pulled_says_nothing_of_its_neighbors() {
        let registries = Registries {
            session: Settings::default().session(),
            own: None,
            trace: None,
            recent: RefCell::default(),
        };
        registries.remember("r.example/a", "r.example/a:v1".to_owned(), Err("denied".to_owned()));
        registries.remember("r.example/a", "r.example/a:v2".to_owned(), Ok("sha256:1".to_owned()));
        assert_eq!(registries.digest("r.example/a", "v1"), Err(PullError::retryable("denied")));
        assert_eq!(registries.digest("r.example/a", "v2"), Ok("sha256:1".to_owned()));
        assert_eq!(registries.recent("r.example/b:v1"), None);
    }

    /// Controllers ask more often than an answer lasts: asking again must not make it last longer.
    #[test]
    fn an_answer_is_as_old_as_the_registry_that_gave_it() {
        let registries = Registries {
            session: Settings::default().session(),
            own: None,
            trace: None,
            recent: RefCell::default(),
        };
        let then = Instant::now().checked_sub(Duration::from_secs(20)).unwrap();
        let reference = "r.example/a@sha256:1".to_owned();
        registries.recent.borrow_mut().insert(reference.clone(), (then, Err("denied".to_owned())));
        assert_eq!(registries.content("r.example/a", "sha256:1").err(), Some(PullError::retryable("denied")));
        assert_eq!(registries.recent.borrow()[&reference].0, then);
    }

    #[test]
    fn what_was_written_down_is_answered_again() {
        let mut files = MemoryTree::default();
        files.insert("manifests/a.yaml", "a: b\n");
        files.insert("manifests/b.bin", [0xff, 0x00]);
        let labels = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
        let mut line = recorded_content(&ImageContent { labels, files: Arc::new(files) }).unwrap();
        line["reference"] = json!("r.example/a@sha256:1");
        let mut recorded = RecordedImages::default();
        assert_eq!(recorded.take(&json!({ "image": line })), Ok(true));
        for answer in [json!({"error": "not yet"}), json!({"digest": "sha256:1"})] {
            let mut image = answer;
            image["reference"] = json!("r.example/a:v1");
            assert_eq!(recorded.take(&json!({ "image": image })), Ok(true));
        }
        assert_eq!(recorded.take(&json!({"pass_ms": 1})), Ok(false));
        for malformed in [json!(5), json!({"reference": "r.example/a:v1"}), json!({"digest": "sha256:1"})] {
            assert!(recorded.take(&json!({ "image": malformed })).is_err(), "{malformed}");
        }
        assert_eq!(recorded.digest("r.example/a", "v1"), Err(PullError::retryable("not yet")));
        assert_eq!(recorded.digest("r.example/a", "v1"), Ok("sha256:1".to_owned()));
        assert_eq!(recorded.digest("r.example/a", "v1"), Ok("sha256:1".to_owned()));
        let content = recorded.content("r.example/a", "sha256:1").unwrap();
        assert_eq!(content.files.read(Path::new("manifests/b.bin")).unwrap(), [0xff, 0x00]);
        assert_eq!(content.labels["a"], "b");
        assert!(recorded.digest("r.example/b", "v1").is_err());
    }
}
