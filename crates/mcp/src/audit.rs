//! stub
use hewto_engine::{Context, Result};
use serde_json::Value;
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail;
pub(crate) struct Operation;
pub(crate) struct Written;
impl Trail {
    pub(crate) fn request(&self, _: &Value) {}
    pub(crate) fn response(&self, _: Value) {}
    pub(crate) fn begin(&self, _: &Context, _: &str, _: &Value) -> Operation {
        Operation
    }
    pub(crate) async fn close(&self) {}
}
impl Operation {
    pub(crate) fn end(self, _: &Result<Value>) -> Written {
        Written
    }
}
impl Written {
    pub(crate) async fn wait(self) {}
}
