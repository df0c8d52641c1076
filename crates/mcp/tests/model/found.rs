//! Sequences that once did not hold, as short as they became.

use serde_json::json;

use crate::world::World;

#[test]
fn a_diff_leaves_the_index_alone_where_files_have_new_times() {
    let mut world = World::new();
    let repo = format!("{}/repo", world.model.base);
    // The files of a copy have other times than those that the index knows.
    world.must("git_diff", &json!({ "repo": repo }));
    world.end();
}
