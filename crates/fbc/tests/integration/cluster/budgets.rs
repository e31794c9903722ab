//! What a served cluster may take, and how it ends whatever it is about.

use std::time::{Duration, Instant};

use fbc_testing::Running;

use super::*;

/// Runs a script with a cluster that may take so much, and answers with all that was printed.
fn within(limit: &str, script: &str) -> String {
    let words = ["--limit", limit, "cluster", "run", "--", "sh", "-c", script];
    let (code, out, err) = crate::fbc().args(words).answer().parts();
    assert_eq!(code, 0, "{out}{err}");
    out + &err
}

#[test]
fn a_cluster_without_room_refuses_objects_until_some_are_deleted() {
    if !is_installed("kubectl") {
        return;
    }
    let printed = within(
        "cluster-objects=200",
        "kubectl create deployment x --image=q.io/x:v1 --replicas=1000; kubectl get pods -o name | wc -l
         kubectl create configmap early && exit 1
         kubectl get --raw /version | grep -c gitVersion
         kubectl delete deployment x && kubectl delete events --all >/dev/null
         kubectl create configmap late",
    );
    let pods = printed.lines().find_map(|line| line.trim().parse::<u32>().ok());
    assert!(pods.is_some_and(|pods| (1..200).contains(&pods)), "{printed}");
    for text in ["more than 200 objects", "--limit cluster-objects=N", "configmap/late created"] {
        assert!(printed.contains(text), "{text:?} is missing in\n{printed}");
    }
    let printed = within(
        "cluster-bytes=8Mi",
        "head -c 900000 /dev/zero | tr '\\0' x > \"$HOME/big\"
         for name in 1 2 3 4 5 6 7 8 9; do kubectl create configmap big-$name --from-file=\"$HOME/big\" || break; done
         kubectl delete configmap big-1; kubectl create configmap late",
    );
    for text in ["hold more than 8388608 bytes", "--limit cluster-bytes=N", "configmap/late created"] {
        assert!(printed.contains(text), "{text:?} is missing in\n{printed}");
    }
}

#[test]
fn controllers_that_do_not_come_to_rest_are_told_once() {
    if !is_installed("kubectl") {
        return;
    }
    let printed = within(
        "cluster-work=20000",
        "kubectl create deployment x --image=q.io/x:v1 --replicas=300; kubectl get pods >/dev/null
         kubectl get --raw '/api/v1/namespaces/default/pods?limit=1' | grep -c PodList
         kubectl delete deployment x",
    );
    assert_eq!(printed.matches("without coming to rest").count(), 1, "{printed}");
    assert!(printed.contains("`--limit cluster-work=N`"), "{printed}");
}

/// Starts `cluster up`, and waits until it serves; its kubeconfig, in a temporary directory of its own.
fn up(arguments: &[&str], temporary: &Path) -> (Running, String) {
    let mut program = crate::fbc()
        .args(["cluster", "up"])
        .args(arguments)
        .env("TMPDIR", temporary)
        .stdout(Stdio::piped())
        .spawn();
    let lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let kubeconfig = lines.map_while(Result::ok).find_map(|line| {
        line.strip_prefix("export KUBECONFIG=").map(|path| path.trim_matches('\'').to_owned())
    });
    (program, kubeconfig.unwrap())
}

/// The exit code after a signal. The bound is generous: without it, the end came after minutes.
#[cfg(unix)]
fn ended_by(signal: &str, program: &mut Running) -> Option<i32> {
    let sent = Command::new("kill").args([signal, &program.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let begun = Instant::now();
    loop {
        if let Some(status) = program.try_wait().unwrap() {
            return status.code();
        }
        if begun.elapsed() > Duration::from_secs(20) {
            program.kill().unwrap();
            panic!("{signal} is not obeyed");
        }
        std::thread::yield_now();
    }
}

#[cfg(unix)]
#[test]
fn signals_end_a_cluster_that_is_busy() {
    if !is_installed("kubectl") {
        return;
    }
    for signal in ["-INT", "-TERM", "-HUP"] {
        let temporary = tempfile::tempdir().unwrap();
        let (mut program, kubeconfig) = up(&[], temporary.path());
        let created = Command::new("kubectl")
            .args(["create", "deployment", "x", "--image=q.io/x:v1", "--replicas=200000"])
            .env("KUBECONFIG", &kubeconfig)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(created.success());
        assert_eq!(ended_by(signal, &mut program), Some(0), "{signal}");
        let left: Vec<_> = std::fs::read_dir(temporary.path()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{signal}: {left:?}");
    }
}

/// A scenario whose steps take minutes.
const LONG: &str = "title: long\nsteps:\n- run: kubectl create deployment x --image=q.io/x:v1 --replicas=200000\n- wait: 24h\n";

#[cfg(unix)]
#[test]
fn signals_end_a_cluster_that_starts_and_a_simulation() {
    for (arguments, code) in [(&["cluster", "up"][..], 143), (&["simulate"], 143)] {
        let folder = tempfile::tempdir().unwrap();
        let temporary = tempfile::tempdir().unwrap();
        let scenario = folder.path().join("long.yaml");
        std::fs::write(&scenario, LONG).unwrap();
        let mut program = crate::fbc()
            .args([
                "--limit",
                "cluster-objects=10M",
                "--limit",
                "cluster-work=100G",
                "--limit",
                "cluster-writes=1G",
            ])
            .args(["--limit", "cluster-bytes=100Gi"])
            .args(arguments)
            .arg(&scenario)
            .env("TMPDIR", temporary.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        // One says that the scenario expects nothing, the other makes a directory, before they play it.
        if arguments == ["simulate"] {
            let mut line = String::new();
            BufReader::new(program.stderr.take().unwrap()).read_line(&mut line).unwrap();
        } else {
            while std::fs::read_dir(temporary.path()).unwrap().next().is_none() {
                std::thread::yield_now();
            }
        }
        assert!(program.try_wait().unwrap().is_none(), "{arguments:?} has ended by itself");
        assert_eq!(ended_by("-TERM", &mut program), Some(code), "{arguments:?}");
        let left: Vec<_> = std::fs::read_dir(temporary.path()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{arguments:?}: {left:?}");
    }
}
