//! The types that cluster service versions, custom resource definitions and the objects made of them consist of, by their
//! names in the tables.

use super::{Struct, StructId, types};

/// A struct of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    table: &'static str,
    name: &'static str,
}

impl Named {
    /// A struct that the tables are known to have.
    #[must_use]
    pub const fn new(table: &'static str, name: &'static str) -> Self {
        Self { table, name }
    }

    /// Where the tables have it.
    #[must_use]
    pub fn id(self) -> StructId {
        let found = types().named(self.table, self.name);
        found.unwrap_or_else(|| unreachable!("the tables have no {} in {}", self.name, self.table))
    }

    /// The struct.
    #[must_use]
    pub fn get(self) -> &'static Struct {
        types().get(self.id())
    }
}

/// `ClusterServiceVersion`
pub const CLUSTER_SERVICE_VERSION: Named = Named::new("operators", "ClusterServiceVersion");
/// `CustomResourceDefinition`
pub const CUSTOM_RESOURCE_DEFINITION: Named = Named::new("apiextensions", "CustomResourceDefinition");
/// `CustomResourceDefinition` of `v1beta1`
pub const BETA_CUSTOM_RESOURCE_DEFINITION: Named =
    Named::new("apiextensions-v1beta1", "CustomResourceDefinition");
/// `JSONSchemaProps`
pub const JSON_SCHEMA_PROPS: Named = Named::new("apiextensions", "JSONSchemaProps");
/// `Deployment`
pub const DEPLOYMENT: Named = Named::new("apps", "Deployment");
/// `ServiceAccount`
pub const SERVICE_ACCOUNT: Named = Named::new("core", "ServiceAccount");
/// `Service`
pub const SERVICE: Named = Named::new("core", "Service");
/// `Role`
pub const ROLE: Named = Named::new("rbac", "Role");
/// `ClusterRole`
pub const CLUSTER_ROLE: Named = Named::new("rbac", "ClusterRole");
/// `RoleBinding`
pub const ROLE_BINDING: Named = Named::new("rbac", "RoleBinding");
/// `ClusterRoleBinding`
pub const CLUSTER_ROLE_BINDING: Named = Named::new("rbac", "ClusterRoleBinding");
/// `ValidatingWebhookConfiguration`
pub const VALIDATING_WEBHOOK_CONFIGURATION: Named =
    Named::new("admissionregistration", "ValidatingWebhookConfiguration");
/// `MutatingWebhookConfiguration`
pub const MUTATING_WEBHOOK_CONFIGURATION: Named =
    Named::new("admissionregistration", "MutatingWebhookConfiguration");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_every_type() {
        for named in [
            CLUSTER_SERVICE_VERSION,
            CUSTOM_RESOURCE_DEFINITION,
            BETA_CUSTOM_RESOURCE_DEFINITION,
            JSON_SCHEMA_PROPS,
            DEPLOYMENT,
            SERVICE_ACCOUNT,
            SERVICE,
            ROLE,
            CLUSTER_ROLE,
            ROLE_BINDING,
            CLUSTER_ROLE_BINDING,
            VALIDATING_WEBHOOK_CONFIGURATION,
            MUTATING_WEBHOOK_CONFIGURATION,
        ] {
            assert_eq!(named.get().name, named.name);
        }
    }
}
