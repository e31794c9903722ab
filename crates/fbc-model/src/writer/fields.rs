//! The fields of each kind of blob, in the order in which Go writes them; what is empty and may be
//! left out is left out.

use fbc_go::base64;

use crate::blob::{
    Bundle, Channel, ChannelEntry, Deprecation, DeprecationEntry, Package, Property, Value, schema,
};

/// Takes a value piece by piece: inside an object keys and values in turn, inside a list values.
pub trait Sink {
    /// Begins an object.
    fn open_object(&mut self);
    /// Ends the object.
    fn close_object(&mut self);
    /// Begins a list.
    fn open_list(&mut self);
    /// Ends the list.
    fn close_list(&mut self);
    /// The key of the value that comes next.
    fn key(&mut self, key: &str);
    /// A text.
    fn text(&mut self, text: &str);
    /// Null.
    fn null(&mut self);
    /// A value of any shape.
    fn value(&mut self, value: &Value);
}

pub(super) fn package(sink: &mut impl Sink, package: &Package) {
    sink.open_object();
    member(sink, "schema", schema::PACKAGE);
    member(sink, "name", &package.name);
    member(sink, "defaultChannel", &package.default_channel);
    if let Some(icon) = &package.icon {
        sink.key("icon");
        sink.open_object();
        match &icon.data {
            Some(data) => member(sink, "base64data", &base64::encode(data)),
            None => {
                sink.key("base64data");
                sink.null();
            }
        }
        member(sink, "mediatype", &icon.media_type);
        sink.close_object();
    }
    member_unless_empty(sink, "description", &package.description);
    properties(sink, &package.properties);
    sink.close_object();
}

pub(super) fn channel(sink: &mut impl Sink, channel: &Channel) {
    sink.open_object();
    member(sink, "schema", schema::CHANNEL);
    member(sink, "name", &channel.name);
    member(sink, "package", &channel.package);
    sink.key("entries");
    list_or_null(sink, channel.entries.as_deref(), channel_entry);
    properties(sink, &channel.properties);
    sink.close_object();
}

pub(super) fn channel_entry(sink: &mut impl Sink, entry: &ChannelEntry) {
    sink.open_object();
    member(sink, "name", &entry.name);
    member_unless_empty(sink, "replaces", &entry.replaces);
    if !entry.skips.is_empty() {
        sink.key("skips");
        list_or_null(sink, Some(&entry.skips), |sink, skip| sink.text(skip));
    }
    member_unless_empty(sink, "skipRange", &entry.skip_range);
    sink.close_object();
}

pub(super) fn bundle(sink: &mut impl Sink, bundle: &Bundle) {
    sink.open_object();
    member(sink, "schema", schema::BUNDLE);
    member_unless_empty(sink, "name", &bundle.name);
    member_unless_empty(sink, "package", &bundle.package);
    member(sink, "image", &bundle.image);
    properties(sink, &bundle.properties);
    if !bundle.related_images.is_empty() {
        sink.key("relatedImages");
        list_or_null(sink, Some(&bundle.related_images), |sink, image| {
            sink.open_object();
            member(sink, "name", &image.name);
            member(sink, "image", &image.image);
            sink.close_object();
        });
    }
    sink.close_object();
}

pub(super) fn deprecation(sink: &mut impl Sink, deprecation: &Deprecation) {
    sink.open_object();
    member(sink, "schema", schema::DEPRECATIONS);
    member(sink, "package", &deprecation.package);
    sink.key("entries");
    list_or_null(sink, deprecation.entries.as_deref(), deprecation_entry);
    sink.close_object();
}

pub(super) fn deprecation_entry(sink: &mut impl Sink, entry: &DeprecationEntry) {
    sink.open_object();
    sink.key("reference");
    sink.open_object();
    member(sink, "schema", &entry.schema);
    member_unless_empty(sink, "name", &entry.name);
    sink.close_object();
    member(sink, "message", &entry.message);
    sink.close_object();
}

fn properties(sink: &mut impl Sink, properties: &[Property]) {
    if properties.is_empty() {
        return;
    }
    sink.key("properties");
    list_or_null(sink, Some(properties), |sink, property| {
        sink.open_object();
        member(sink, "type", &property.kind);
        sink.key("value");
        match &property.value {
            Some(value) => sink.value(value),
            None => sink.null(),
        }
        sink.close_object();
    });
}

fn member(sink: &mut impl Sink, key: &str, text: &str) {
    sink.key(key);
    sink.text(text);
}

fn member_unless_empty(sink: &mut impl Sink, key: &str, text: &str) {
    if !text.is_empty() {
        member(sink, key, text);
    }
}

fn list_or_null<S: Sink, T>(sink: &mut S, items: Option<&[T]>, mut item: impl FnMut(&mut S, &T)) {
    let Some(items) = items else { return sink.null() };
    sink.open_list();
    for value in items {
        item(sink, value);
    }
    sink.close_list();
}
