//! Roles and bindings as YAML with comments.

use fbc_bundle::permissions::installer::{BoundRole, Category, Installer, Reason, ReasonedRule};
use fbc_source::Error;
use serde_json::json;

use crate::output::manifest::{yaml, yaml_documents};

/// What an installer needs, as YAML; comments say why.
///
/// # Errors
/// If YAML cannot hold a text of the bundle.
pub fn installer_yaml(installer: &Installer, extension: &str) -> Result<String, Error> {
    let extension = &extension.replace(char::is_control, " ");
    let mut text = format!(
        "# What ClusterExtension {extension} needs to be installed; its namespace must exist before.\n"
    );
    text.push_str(&yaml_documents(&[installer.account_manifest()])?);
    for role in &installer.roles {
        push_role(role, extension, &mut text)?;
        text.push_str(&yaml_documents(&[role.binding_manifest(&installer.account)])?);
    }
    Ok(text)
}

fn push_role(role: &BoundRole, extension: &str, text: &mut String) -> Result<(), Error> {
    let mut manifest = role.manifest();
    if let Some(members) = manifest.as_object_mut() {
        members.remove("rules");
    }
    text.push_str(&format!("---\n{}rules:\n", yaml(&manifest)?));
    let mut last = String::new();
    for rule in &role.rules {
        // Names come from manifests and may hold anything; a comment is one line.
        let comment = comment(rule, extension).replace(char::is_control, " ");
        if comment != last {
            text.push_str(&format!("# {comment}\n"));
        }
        last = comment;
        text.push_str(&yaml(&json!([rule.rule.to_json()]))?);
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
