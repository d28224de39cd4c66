//! `outline`.

use super::error::Error;
use super::tools::Outline;
use super::{Form, NativeTool, Reply, engine, project};
use crate::surface::Call;
use groma_render::{outline_json, outline_page};

impl NativeTool for Outline {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let form = Form::new(self.format, self.max_tokens);
        let target = self.path.as_deref().unwrap_or_default();
        let outlined = engine.outline_target(target, call.observer, call.cancel)?;
        let outlined = outlined.ok_or_else(|| {
            Error::new(format!("No file or folder of the index is named {target:?}."))
        })?;
        drop(engine);
        let shown = form.answer(
            || outline_json(&outlined, form.content()),
            || outline_page(target, &outlined, form.content()),
        );
        Ok(Reply::about(project, self.path, shown))
    }
}
