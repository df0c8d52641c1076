//! Which file a program's name stands for, where a repository may not decide: what signs and shows for a person.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use crate::env;

/// The program of this name in an absolute entry of `PATH` that lies, links followed, outside the repositories of these
/// folders and of the current one.
pub(crate) fn outside(name: &str, folders: &[&Path]) -> Option<PathBuf> {
    let current = env::current_dir().ok();
    let folders = folders.iter().copied().chain(current.as_deref());
    let forbidden: Vec<PathBuf> = folders.map(repository).collect();
    find(name, &env::search_path(), &forbidden)
}

fn find(name: &str, path: &[PathBuf], forbidden: &[PathBuf]) -> Option<PathBuf> {
    let is_plain = !name.is_empty() && !name.contains('/') && name != "." && name != "..";
    let entries = path.iter().filter(|entry| is_plain && entry.is_absolute());
    entries.map(|entry| entry.join(name)).find(|file| {
        let is_outside = fs_err::canonicalize(file)
            .is_ok_and(|real| !forbidden.iter().any(|folder| real.starts_with(folder)));
        let may_run = || accessat(CWD, file, Access::EXEC_OK, AtFlags::EACCESS).is_ok();
        is_outside && file.is_file() && may_run()
    })
}

/// The repository that a folder lies in, else the folder itself. A file `.git` is that of a submodule or of a second work
/// tree: then the one around it counts too, where there is one.
fn repository(folder: &Path) -> PathBuf {
    let real = fs_err::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let own = real.ancestors().find(|above| above.join(".git").is_dir());
    let top = own.or_else(|| real.ancestors().find(|above| above.join(".git").exists())).map(Path::to_owned);
    top.unwrap_or(real)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program(folder: &Path, mode: u32) {
        fs_err::create_dir_all(folder).unwrap();
        fs_err::write(folder.join("signer"), "#!/bin/sh\n").unwrap();
        fs_err::set_permissions(folder.join("signer"), PermissionsExt::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_program_of_the_repository_is_never_taken() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (repo, own) = (root.join("repo"), root.join("bin"));
        fs_err::create_dir_all(repo.join(".git")).unwrap();
        fs_err::create_dir_all(repo.join("app/openspec")).unwrap();
        program(&repo.join("tools"), 0o755);
        program(&own, 0o755);
        program(&root.join("plain"), 0o644);
        fs_err::create_dir_all(root.join("linked")).unwrap();
        std::os::unix::fs::symlink(repo.join("tools/signer"), root.join("linked/signer")).unwrap();
        let forbidden = [repository(&repo.join("app/openspec"))];
        assert_eq!(
            forbidden,
            std::slice::from_ref(&repo),
            "the whole repository, not only the workspace in it"
        );
        let path = |entries: &[&Path]| entries.iter().map(|entry| entry.to_path_buf()).collect::<Vec<_>>();
        let inside = path(&[&repo.join("tools"), Path::new("."), &root.join("linked"), &root.join("plain")]);
        assert_eq!(find("signer", &inside, &forbidden), None);
        let all: Vec<PathBuf> = inside.into_iter().chain([own.clone()]).collect();
        assert_eq!(find("signer", &all, &forbidden), Some(own.join("signer")));
        for odd in ["", ".", "..", "../bin/signer", "/bin/sh"] {
            assert_eq!(find(odd, &all, &forbidden), None, "{odd}");
        }
    }
}
