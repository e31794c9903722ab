//! A simulated cluster of a thousand extensions over ten catalogs of three hundred packages, until all is still.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::median_of_command;
use crate::error::{Context, TaskResult};

/// Catalogs.
const CATALOGS: usize = 10;
/// Packages in each catalog.
const PACKAGES: usize = 300;
/// Extensions.
const EXTENSIONS: usize = 1_000;

/// What every extension is installed into, and by whom.
const INSTALLER: &str = "\
apiVersion: v1
kind: Namespace
metadata: {name: extensions}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: installer, namespace: extensions}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: installer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
- {kind: ServiceAccount, name: installer, namespace: extensions}
";

/// Writes the scenario, plays it, and prints time and memory.
pub(super) fn run(fbc: &Path, folder: &Path, runs: usize) -> TaskResult {
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))
            .context(|| format!("making {}", folder.display()))?;
        fs::write(&path, text).context(|| format!("writing {}", path.display()))
    };
    for number in 0..CATALOGS {
        write(&format!("catalogs/{number}/catalog.yaml"), catalog(number))?;
    }
    write("installer.yaml", INSTALLER.to_owned())?;
    write("extensions.yaml", (0..EXTENSIONS).map(extension).collect())?;
    write("scenario.yaml", scenario())?;
    let file = folder.join("scenario.yaml");
    let command = [fbc.as_os_str(), "simulate".as_ref(), "-q".as_ref(), file.as_os_str()];
    println!(
        "\n{EXTENSIONS} extensions over {CATALOGS} catalogs of {PACKAGES} packages, until all is still:"
    );
    match median_of_command(&command, runs)? {
        Ok(measured) if measured.exit_code == Some(0) => {
            println!("{:.2} s, peak {:.0} MiB", measured.wall_seconds, measured.peak_mebibytes);
        }
        Ok(measured) => println!("failed: exit code {:?}", measured.exit_code),
        Err(reason) => println!("failed: {reason}"),
    }
    Ok(())
}

fn scenario() -> String {
    let mut text =
        String::from("title: Many extensions\nemptyBundles: true\nobjects: [installer.yaml]\ncatalogs:\n");
    for number in 0..CATALOGS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "- {{name: catalog-{number}, content: catalogs/{number}}}");
    }
    text.push_str("steps:\n- apply: extensions.yaml\nexpect:\n");
    for number in 0..EXTENSIONS {
        let _ = writeln!(
            text,
            "- {{object: ClusterExtension/extension-{number}, condition: {{type: Installed, status: \"True\"}}}}"
        );
    }
    text
}

fn package(catalog: usize, number: usize) -> String {
    format!("package-{catalog}-{number}")
}

fn catalog(catalog: usize) -> String {
    let mut text = String::new();
    for number in 0..PACKAGES {
        let name = package(catalog, number);
        let _ = writeln!(
            text,
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\n\
             name: stable\nentries:\n- name: {name}.v1.0.0\n- name: {name}.v1.1.0\n  replaces: {name}.v1.0.0"
        );
        for version in ["1.0.0", "1.1.0"] {
            let _ = writeln!(
                text,
                "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: registry.example/{name}:v{version}\n\
                 properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}"
            );
        }
    }
    text
}

fn extension(number: usize) -> String {
    let package = package(number % CATALOGS, number / CATALOGS);
    format!(
        "---\napiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {{name: extension-{number}}}\n\
         spec:\n  namespace: extensions\n  serviceAccount: {{name: installer}}\n  source:\n    sourceType: Catalog\n    \
         catalog: {{packageName: {package}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extension_has_a_package_and_an_expectation() {
        assert!(extension(EXTENSIONS - 1).contains("packageName: package-9-99"));
        assert!(catalog(9).contains("name: package-9-99\n"));
        assert_eq!(scenario().matches("condition").count(), EXTENSIONS);
    }
}
