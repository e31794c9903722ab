//! A directory to work in, with `fbc` and `opm` on the path.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use fbc_testing::Fbc;

/// A directory to work in, with `fbc` and `opm` on the path and an image map for what would be pulled.
pub(crate) struct Workplace {
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) fn testdata() -> PathBuf {
    fbc_testing::testdata("").canonicalize().unwrap()
}

impl Workplace {
    pub(crate) fn new(image_map: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path().join("bin");
        fs::create_dir(&programs).unwrap();
        for name in ["fbc", "opm"] {
            std::os::unix::fs::symlink(crate::FBC, programs.join(name)).unwrap();
        }
        let testdata = testdata().display().to_string();
        fs::write(folder.path().join("images.yaml"), image_map.replace("TESTDATA", &testdata)).unwrap();
        Self { folder }
    }

    pub(crate) fn shell(&self, script: &str) -> Output {
        let work = self.folder.path().join("work");
        fs::create_dir_all(&work).unwrap();
        Fbc::at("sh")
            .args(["-euc", script])
            .current_dir(work)
            .programs_in(self.folder.path().join("bin"))
            .env("FBC_IMAGE_MAP", self.folder.path().join("images.yaml"))
            .output()
    }

    /// What a script prints that must succeed without a word on standard error.
    pub(crate) fn succeed(&self, script: &str) -> String {
        let output = self.shell(script);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.is_empty(), "{}\n{told}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.folder.path().join("work").join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let listed = self.succeed("find . -type f | LC_ALL=C sort");
        listed.lines().map(str::to_owned).collect()
    }
}

pub(crate) const BUNDLE_IMAGE: &str =
    "quay.io/example/lighthouse-operator-bundle:v1.2.0: TESTDATA/lighthouse-bundle\n";
