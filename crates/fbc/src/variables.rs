//! The environment variables that fbc reads, in one table, from which `docs/reference/conventions.md` is made.

/// A variable of the environment.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The name.
    pub name: &'static str,
    /// What it decides, as a sentence without a full stop.
    pub meaning: &'static str,
}

/// All variables that change what commands do.
pub static VARIABLES: [Variable; 29] = [
    variable("FBC_CACHE_DIR", "the directory of the cache, as --cache-dir"),
    variable("FBC_COMPLETE", "set by completion scripts: the shell whose words are completed"),
    variable(
        "FBC_IMAGE_MAP",
        "a file that maps images to directories, as --image-map; also under the name `opm`",
    ),
    variable("FBC_MIRROR_SET", "files of mirror sets, separated as in PATH; --mirror-set replaces them"),
    variable("FBC_OFFLINE", "neither 0 nor false: ask no registry, as --offline"),
    variable(
        "FBC_OPM_VERSION",
        "under the name `opm`: the version to report, and whose expansion of semver templates counts",
    ),
    variable("HELP_ALPHA", "under the name `opm`: `true` shows in help what may still change"),
    variable("COSIGN_PASSWORD", "the passphrase of the private key of `fbc sign`"),
    variable("NO_COLOR", "not empty: no colors, unless --color says otherwise"),
    variable(
        "FORCE_COLOR",
        "neither 0 nor false: colors also where there is no terminal, unless NO_COLOR is set",
    ),
    variable("CLICOLOR_FORCE", "not 0: colors also where there is no terminal, unless NO_COLOR is set"),
    variable("CLICOLOR", "0: no colors"),
    variable("COLUMNS", "the width of help, in characters"),
    variable(
        "SOURCE_DATE_EPOCH",
        "in seconds since 1970: the time of built images, and the moment that counts as now for waivers and reports",
    ),
    variable("REGISTRY_AUTH_FILE", "the file with credentials, and no other; --authfile replaces it"),
    variable("DOCKER_CONFIG", "the directory of docker's `config.json`"),
    variable("XDG_RUNTIME_DIR", "where podman keeps credentials: `containers/auth.json` in it"),
    variable(
        "XDG_CONFIG_HOME",
        "where `containers/auth.json`, `registries.conf` and `certs.d` are looked for [default: ~/.config]",
    ),
    variable("TMPDIR", "where files that are needed while a command runs are kept [default: /tmp]"),
    variable("XDG_CACHE_HOME", "where the cache is without FBC_CACHE_DIR [default: ~/.cache]"),
    variable("HOME", "the home directory, for the defaults above"),
    variable("CONTAINERS_REGISTRIES_CONF", "the configuration of registries; --registries-conf replaces it"),
    variable("HTTP_PROXY", "the proxy for HTTP, also in lower case; ALL_PROXY where it is not set"),
    variable("HTTPS_PROXY", "the proxy for HTTPS, also in lower case; ALL_PROXY where it is not set"),
    variable("NO_PROXY", "hosts that are asked without a proxy, also in lower case"),
    variable(
        "KUBECONFIG",
        "the cluster that `fbc cluster advance` speaks to; set for the command of `fbc cluster run`",
    ),
    variable(
        "KUBERNETES_SERVICE_HOST",
        "the cluster that `opm alpha bundle extract` reads from inside a pod, with KUBERNETES_SERVICE_PORT",
    ),
    variable("KUBERNETES_SERVICE_PORT", "the port of that cluster"),
    variable("PATH", "where git and `docker-credential-*` programs are"),
];

const fn variable(name: &'static str, meaning: &'static str) -> Variable {
    Variable { name, meaning }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::VARIABLES;

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => sources(&path, found),
                false => found.push(path),
            }
        }
    }

    /// The names in calls that read the environment, in the code before the tests of each file.
    fn read_names(text: &str) -> Vec<String> {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let calls = ["var(\"", "var_os(\"", "(self.variable)(\"", "self.path(\"", "variable(\"", "text(\""];
        let names = calls.iter().flat_map(|call| code.split(call).skip(1));
        let names = names.filter_map(|rest| rest.split('"').next());
        let is_name = |name: &&str| {
            name.len() > 3 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        };
        names.filter(is_name).map(str::to_owned).collect()
    }

    #[test]
    fn what_is_read_is_in_the_table() {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
        // A child process of `query` knows itself by it.
        let inner = ["FBC_QUERY_PROCESS", "ALL_PROXY"];
        let mut count = 0;
        for file in files {
            for name in read_names(&fs::read_to_string(&file).unwrap()) {
                count += 1;
                let is_known = VARIABLES.iter().any(|variable| variable.name == name);
                assert!(is_known || inner.contains(&name.as_str()), "{name} in {}", file.display());
            }
        }
        assert!(count > 10, "{count}");
    }
}
