//! Debian's registry as a program of its own, and skopeo, where they are installed.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// So many attempts to connect, each after one to start a small program, are enough for a registry to come up.
const CONNECTIONS: usize = 2000;

/// A registry that ends with the test.
pub struct Running {
    process: Child,
    /// Where it listens, as `127.0.0.1:5000`.
    pub host: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a registry that keeps its blobs in a directory. The further configuration goes on in the section `storage`;
/// `HOST` in it is where the registry listens.
pub fn start(folder: &Path, further: &str) -> Running {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let host = format!("127.0.0.1:{port}");
    let storage = folder.join("storage");
    let text = format!(
        "version: 0.1\nlog: {{level: error}}\nstorage:\n  filesystem: {{rootdirectory: {}}}\n{}",
        storage.display(),
        further.replace("HOST", &host)
    );
    let file = folder.join("config.yml");
    std::fs::write(&file, text).unwrap();
    let process = Command::new("docker-registry")
        .args(["serve".as_ref(), file.as_os_str()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let running = Running { process, host };
    for _ in 0..CONNECTIONS {
        if TcpStream::connect(&running.host).is_ok() {
            return running;
        }
        Command::new("true").status().unwrap();
    }
    panic!("the registry does not answer at {}", running.host);
}

/// What skopeo says.
pub fn skopeo(arguments: &[&str]) -> String {
    let output = Command::new("skopeo").arg("--insecure-policy").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
