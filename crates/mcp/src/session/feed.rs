//! What MCP's subscriptions hear of: a resource has changed when its text has, the list of resources when it would be
//! another. The looking is `hewto-call`'s, which does it for the pages of the dashboard too.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use hewto_call::Topic;
use hewto_engine::{Error, Kind};

use crate::options::Toolset;
use crate::resources::{self, ResourceUri};

pub(crate) use hewto_call::{Feed, Interest, Listener};

/// The list of resources; no resource is called so.
const LIST: &str = "resources/list";

/// Something that a client may care about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum News {
    Updated(Arc<str>),
    ListChanged,
}

impl From<hewto_call::News> for News {
    fn from(news: hewto_call::News) -> Self {
        if &*news == LIST { Self::ListChanged } else { Self::Updated(news) }
    }
}

/// The text of a resource.
pub(crate) fn of_resource(uri: ResourceUri) -> Topic {
    Topic {
        name: uri.to_string().into(),
        of_specs: uri.is_of_specs(),
        mark: Arc::new(move |project, context| {
            let Ok(workspace) = project.workspace() else { return Some(0) };
            mark(resources::read(workspace, context, &uri))
        }),
    }
}

/// The list of resources that these toolsets have.
pub(crate) fn of_list(served: &[Toolset]) -> Topic {
    let served = served.to_vec();
    Topic {
        name: LIST.into(),
        // The snapshot knows of specs only.
        of_specs: !served.contains(&Toolset::Graph),
        mark: Arc::new(move |project, context| {
            let Ok(workspace) = project.workspace() else { return Some(0) };
            mark(resources::list_mark(workspace, context, &served))
        }),
    }
}

fn mark(read: Result<impl Hash, Error>) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    match read {
        Ok(content) => content.hash(&mut hasher),
        // The machine's troubles are no change of the text.
        Err(error) if error.kind == Kind::Machine => return None,
        Err(error) => error.key.hash(&mut hasher),
    }
    Some(hasher.finish())
}
