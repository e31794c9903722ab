//! The description of the API that clients such as `grpcurl` ask for.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, MethodDescriptorProto, MethodOptions,
    OneofDescriptorProto, ServiceDescriptorProto,
};

use tonic::body::Body;
use tonic_reflection::server::Builder;
use tower_service::Service as _;

use super::message::PACKAGE;

/// A field: its name, and its type; `*` marks lists, and a capital letter a message.
type Field = (&'static str, &'static str);

const PROVIDERS: &[Field] = &[("group", ""), ("version", ""), ("kind", ""), ("plural", "")];

/// The messages; fields are numbered from 1 in their order.
const MESSAGES: [(&str, &[Field]); 20] = [
    ("Channel", &[("name", ""), ("csvName", ""), ("deprecation", "Deprecation")]),
    ("PackageName", &[("name", "")]),
    (
        "Package",
        &[("name", ""), ("channels", "*Channel"), ("defaultChannelName", ""), ("deprecation", "Deprecation")],
    ),
    ("GroupVersionKind", PROVIDERS),
    ("Dependency", &[("type", ""), ("value", "")]),
    ("Property", &[("type", ""), ("value", "")]),
    (
        "Bundle",
        &[
            ("csvName", ""),
            ("packageName", ""),
            ("channelName", ""),
            ("csvJson", ""),
            ("object", "*"),
            ("bundlePath", ""),
            ("providedApis", "*GroupVersionKind"),
            ("requiredApis", "*GroupVersionKind"),
            ("version", ""),
            ("skipRange", ""),
            ("dependencies", "*Dependency"),
            ("properties", "*Property"),
            ("replaces", ""),
            ("skips", "*"),
            ("deprecation", "Deprecation"),
        ],
    ),
    ("ChannelEntry", &[("packageName", ""), ("channelName", ""), ("bundleName", ""), ("replaces", "")]),
    ("ListPackageRequest", &[]),
    ("ListBundlesRequest", &[]),
    ("GetPackageRequest", &[("name", "")]),
    ("GetBundleRequest", &[("pkgName", ""), ("channelName", ""), ("csvName", "")]),
    ("GetBundleInChannelRequest", &[("pkgName", ""), ("channelName", "")]),
    ("GetAllReplacementsRequest", &[("csvName", "")]),
    ("GetReplacementRequest", &[("csvName", ""), ("pkgName", ""), ("channelName", "")]),
    ("GetAllProvidersRequest", PROVIDERS),
    ("GetLatestProvidersRequest", PROVIDERS),
    ("GetDefaultProviderRequest", PROVIDERS),
    ("Deprecation", &[("message", "")]),
    ("ExperimentalListPackageCustomSchemasRequest", &[("schema", ""), ("packageName", "")]),
];

/// A method: its name, what it takes, and what it answers; `*` marks streams.
type Method = (&'static str, &'static str, &'static str);

const REGISTRY: [Method; 10] = [
    ("ListPackages", "ListPackageRequest", "*PackageName"),
    ("GetPackage", "GetPackageRequest", "Package"),
    ("GetBundle", "GetBundleRequest", "Bundle"),
    ("GetBundleForChannel", "GetBundleInChannelRequest", "Bundle"),
    ("GetChannelEntriesThatReplace", "GetAllReplacementsRequest", "*ChannelEntry"),
    ("GetBundleThatReplaces", "GetReplacementRequest", "Bundle"),
    ("GetChannelEntriesThatProvide", "GetAllProvidersRequest", "*ChannelEntry"),
    ("GetLatestChannelEntriesThatProvide", "GetLatestProvidersRequest", "*ChannelEntry"),
    ("GetDefaultBundleThatProvides", "GetDefaultProviderRequest", "Bundle"),
    ("ListBundles", "ListBundlesRequest", "*Bundle"),
];

const EXPERIMENTAL: [Method; 1] = [(
    "ExperimentalListPackageCustomSchemas",
    "ExperimentalListPackageCustomSchemasRequest",
    "*google.protobuf.Struct",
)];

/// The method that clients should not use any more.
const DEPRECATED: &str = "GetBundleForChannel";

/// The files of the API: the registry, and the messages of the system that it uses.
#[must_use]
pub fn descriptors() -> FileDescriptorSet {
    let registry = FileDescriptorProto {
        name: Some("registry.proto".to_owned()),
        package: Some(PACKAGE.to_owned()),
        dependency: vec!["google/protobuf/struct.proto".to_owned()],
        message_type: MESSAGES.iter().map(|(name, fields)| message(name, fields)).collect(),
        service: vec![service("Registry", &REGISTRY), service("ExperimentalRegistry", &EXPERIMENTAL)],
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    };
    FileDescriptorSet { file: vec![structures(), registry] }
}

fn message(name: &str, fields: &[Field]) -> DescriptorProto {
    let field = |(index, (name, of)): (usize, &Field)| {
        let (label, of) = match of.strip_prefix('*') {
            Some(of) => (Label::Repeated, of),
            None => (Label::Optional, *of),
        };
        FieldDescriptorProto {
            name: Some((*name).to_owned()),
            json_name: Some((*name).to_owned()),
            number: i32::try_from(index + 1).ok(),
            label: Some(label.into()),
            r#type: Some(if of.is_empty() { Type::String } else { Type::Message }.into()),
            type_name: (!of.is_empty()).then(|| qualified(of)),
            ..FieldDescriptorProto::default()
        }
    };
    DescriptorProto {
        name: Some(name.to_owned()),
        field: fields.iter().enumerate().map(field).collect(),
        ..DescriptorProto::default()
    }
}

fn qualified(name: &str) -> String {
    if name.contains('.') { format!(".{name}") } else { format!(".{PACKAGE}.{name}") }
}

fn service(name: &str, methods: &[Method]) -> ServiceDescriptorProto {
    let method = |(name, takes, answers): &Method| MethodDescriptorProto {
        name: Some((*name).to_owned()),
        input_type: Some(qualified(takes)),
        output_type: Some(qualified(answers.trim_start_matches('*'))),
        server_streaming: Some(answers.starts_with('*')),
        options: (*name == DEPRECATED)
            .then(|| MethodOptions { deprecated: Some(true), ..MethodOptions::default() }),
        ..MethodDescriptorProto::default()
    };
    ServiceDescriptorProto {
        name: Some(name.to_owned()),
        method: methods.iter().map(method).collect(),
        ..ServiceDescriptorProto::default()
    }
}

/// `google/protobuf/struct.proto`, as far as clients need it to read values of any shape.
///
/// Source: `protocolbuffers/protobuf:src/google/protobuf/struct.proto`.
fn structures() -> FileDescriptorProto {
    let field = |name: &str, number: i32, kind: Type, of: &str| FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional.into()),
        r#type: Some(kind.into()),
        type_name: (!of.is_empty()).then(|| format!(".google.protobuf.{of}")),
        ..FieldDescriptorProto::default()
    };
    let repeated =
        |field: FieldDescriptorProto| FieldDescriptorProto { label: Some(Label::Repeated.into()), ..field };
    let of_kind = |field: FieldDescriptorProto| FieldDescriptorProto { oneof_index: Some(0), ..field };
    let message = |name: &str, field: Vec<FieldDescriptorProto>| DescriptorProto {
        name: Some(name.to_owned()),
        field,
        ..DescriptorProto::default()
    };
    let entry = DescriptorProto {
        options: Some(MessageOptions { map_entry: Some(true), ..MessageOptions::default() }),
        ..message(
            "FieldsEntry",
            vec![field("key", 1, Type::String, ""), field("value", 2, Type::Message, "Value")],
        )
    };
    let structure = DescriptorProto {
        nested_type: vec![entry],
        ..message("Struct", vec![repeated(field("fields", 1, Type::Message, "Struct.FieldsEntry"))])
    };
    let kinds = [
        field("null_value", 1, Type::Enum, "NullValue"),
        field("number_value", 2, Type::Double, ""),
        field("string_value", 3, Type::String, ""),
        field("bool_value", 4, Type::Bool, ""),
        field("struct_value", 5, Type::Message, "Struct"),
        field("list_value", 6, Type::Message, "ListValue"),
    ];
    let value = DescriptorProto {
        oneof_decl: vec![OneofDescriptorProto { name: Some("kind".to_owned()), options: None }],
        ..message("Value", kinds.map(of_kind).into())
    };
    let list = message("ListValue", vec![repeated(field("values", 1, Type::Message, "Value"))]);
    let null = EnumDescriptorProto {
        name: Some("NullValue".to_owned()),
        value: vec![EnumValueDescriptorProto {
            name: Some("NULL_VALUE".to_owned()),
            number: Some(0),
            options: None,
        }],
        ..EnumDescriptorProto::default()
    };
    FileDescriptorProto {
        name: Some("google/protobuf/struct.proto".to_owned()),
        package: Some("google.protobuf".to_owned()),
        message_type: vec![structure, value, list],
        enum_type: vec![null],
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    }
}

type Reply = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// The services that describe the API, in both versions that clients ask for.
#[derive(Clone)]
pub struct ReflectionServices(Arc<dyn Fn(Request<Incoming>) -> Reply + Send + Sync>);

impl ReflectionServices {
    /// The services, if the description is consistent; a test holds that it is.
    #[must_use]
    pub fn new() -> Option<Self> {
        let builder = || Builder::configure().register_file_descriptor_set(descriptors());
        let (current, alpha) = (builder().build_v1().ok()?, builder().build_v1alpha().ok()?);
        Some(Self(Arc::new(move |request| {
            if request.uri().path().starts_with("/grpc.reflection.v1alpha.") {
                alpha.clone().call(request)
            } else {
                current.clone().call(request)
            }
        })))
    }

    /// Answers a request for a path below `/grpc.reflection.`.
    #[must_use]
    pub fn answer(&self, request: Request<Incoming>) -> Reply {
        (self.0)(request)
    }
}
