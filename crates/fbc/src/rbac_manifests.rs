//! Roles and bindings as YAML with comments, or as JSON.

use std::io::{self, Write};

use fbc_bundle::permissions::installer::{BoundRole, Category, Installer, Reason, ReasonedRule};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::manifest::{write_yaml, yaml};

/// Writes a list of manifests that cluster tools take.
pub(crate) fn write_json(manifests: Vec<Value>, out: &mut dyn Write) -> Result<(), Failure> {
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": manifests });
    serde_json::to_writer_pretty(&mut *out, &list).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

/// Writes what an installer needs; comments say why.
pub(crate) fn write_installer(
    installer: &Installer,
    extension: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let extension = &extension.replace(char::is_control, " ");
    writeln!(
        out,
        "# What ClusterExtension {extension} needs to be installed; its namespace must exist before."
    )?;
    write_yaml(&[installer.account_manifest()], out)?;
    for role in &installer.roles {
        write_role(role, extension, out)?;
        write_yaml(&[role.binding_manifest(&installer.account)], out)?;
    }
    Ok(())
}

fn write_role(role: &BoundRole, extension: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let mut manifest = role.manifest();
    if let Some(members) = manifest.as_object_mut() {
        members.remove("rules");
    }
    write!(out, "---\n{}rules:\n", yaml(&manifest)?)?;
    let mut last = String::new();
    for rule in &role.rules {
        // Names come from manifests and may hold anything; a comment is one line.
        let comment = comment(rule, extension).replace(char::is_control, " ");
        if comment != last {
            writeln!(out, "# {comment}")?;
        }
        last = comment;
        write!(out, "{}", yaml(&json!([rule.rule.to_json()]))?)?;
    }
    Ok(())
}

/// Why a rule is there.
fn comment(rule: &ReasonedRule, extension: &str) -> String {
    let what = |category: Category| match category {
        Category::Permissions => "the operator's roles and bindings",
        Category::Definitions => "custom resource definitions",
        Category::Deployments => "the operator's deployments",
        Category::ServiceAccounts => "the operator's service accounts",
        Category::Others => "other objects of the bundle",
    };
    match &rule.reason {
        Reason::Finalizers => format!(
            "Owner references block the deletion of ClusterExtension {extension}, so its finalizers must be writable."
        ),
        Reason::Collection(category) => {
            let has = |verb: &str| rule.rule.verbs.iter().any(|owned| owned == verb);
            let what = what(*category);
            match (has("create"), has("watch")) {
                (true, true) => format!("To make {what} and watch them; names cannot limit these verbs."),
                (true, false) => format!("To make {what}; names cannot limit this verb."),
                (false, _) => format!("To watch {what} in all namespaces; names cannot limit these verbs."),
            }
        }
        Reason::Objects(category) => format!("To manage {} by their names.", what(*category)),
        Reason::Operator { role: (kind, name) } => {
            format!(
                "The operator gets these rights from {kind} {name}; nobody may hand out what they do not have."
            )
        }
        Reason::Escalate => {
            "To make roles with rights that the installer does not have; names cannot limit this check."
                .to_owned()
        }
        Reason::Bind => "To bind roles whose rights the installer does not have.".to_owned(),
    }
}
