//! Traces and recorded sessions: private, without what Secrets hold, and whole or marked as not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use fbc_testing::{Fbc, is_installed};

use super::tree::{fbc, sample};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_trace_on_a_full_disk_ends_the_command() {
    if !Path::new("/dev/full").exists() {
        return fbc_testing::skip("there is no /dev/full");
    }
    let sample = sample();
    for words in [
        &["simulate", "quotas.yaml", "--trace", "/dev/full"][..],
        &["cluster", "run", "--trace", "/dev/full", "--", "true"],
    ] {
        let output = fbc(sample.path(), words);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {err}");
        assert!(err.contains("No space left on device"), "{words:?}: {err}");
    }
}

/// A limit on the size of files stands for the full disk.
#[test]
fn a_session_that_cannot_be_written_any_more_ends_the_cluster() {
    if !is_installed("kubectl") {
        return;
    }
    let sample = sample();
    let root = sample.path();
    fs::write(root.join("big"), "x".repeat(200_000)).unwrap();
    let script = "ulimit -f 128; trap '' XFSZ; exec \"$0\" cluster run --trace session -- \
                  kubectl create configmap a --from-file=big";
    let output = Fbc::at("sh").args(["-c", script, crate::FBC]).current_dir(root).output();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("cannot write session") && err.contains("the session is not whole"), "{err}");
    let replayed = fbc(root, &["simulate", "--replay-trace", "session"]);
    assert!(String::from_utf8_lossy(&replayed.stderr).contains("is not whole"));
}

#[test]
fn traces_are_private_and_show_no_secrets() {
    let sample = sample();
    let root = sample.path();
    fs::write(root.join("trace"), "old").unwrap();
    assert!(fbc(root, &["simulate", "quotas.yaml", "--trace", "trace"]).status.code().is_some());
    assert_eq!(mode(&root.join("trace")), 0o600);
    if !is_installed("kubectl") {
        return;
    }
    let script = "kubectl create secret generic a --from-literal=p=hunter2 && kubectl get secret a -o yaml && \
                  kubectl patch secret a -p '{\"stringData\":{\"p\":\"hunter3\"}}' && kubectl apply -f s.yaml && \
                  kubectl annotate secret a other.io/last-applied=hunter5 && kubectl create configmap a --from-file=s.yaml && \
                  kubectl label secret b c=d && kubectl delete secret b";
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: b}\ntype: kubernetes.io/dockerconfigjson\n\
                    stringData: {.dockerconfigjson: '{\"auths\":{\"q.io\":{\"auth\":\"hunter4\"}}}'}\n";
    fs::write(root.join("s.yaml"), manifest).unwrap();
    for (flags, is_shown) in [(&[][..], false), (&["--trace-secrets"], true)] {
        let words = [&["cluster", "run", "--trace", "session"], flags, &["--", "sh", "-c", script]].concat();
        let output = fbc(root, &words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let session = fs::read_to_string(root.join("session")).unwrap();
        // The values as text and, of the first, in base64.
        let shown =
            ["hunter2", "aHVudGVyMg", "hunter3", "hunter4", "hunter5"].map(|value| session.contains(value));
        assert_eq!(shown.contains(&true), is_shown, "{session}");
        assert_eq!(mode(&root.join("session")), 0o600);
        let replayed = fbc(root, &["simulate", "--replay-trace", "session"]);
        let (out, err) =
            (String::from_utf8_lossy(&replayed.stdout), String::from_utf8_lossy(&replayed.stderr));
        assert!(replayed.status.success() && out.contains("0 answered otherwise"), "{out}{err}");
        assert!(!err.contains("not whole"), "{err}");
        // What is cut off is played as far as it goes, and says so.
        let cut = session.trim_end().rsplit_once('\n').unwrap().0;
        fs::write(root.join("cut"), cut).unwrap();
        let replayed = fbc(root, &["simulate", "--replay-trace", "cut"]);
        let err = String::from_utf8_lossy(&replayed.stderr).into_owned();
        assert!(replayed.status.success() && err.contains("is not whole"), "{err}");
    }
}
