//! The workstation toolset over MCP: the real binary, real repositories, real processes.

mod yard; // a root, something outside of it, and a server for the root

pub(crate) use yard::trust_folder;

mod ci; // detect, build, test, run; limits, progress, cancellation
mod dialects; // the names and parameters of other servers, and the profile of the original
mod files; // every file tool, and how it refuses
mod git; // every git tool, and how it refuses
mod guard; // read-only, rates, roots, queues, the end of the server
mod holes_files; // contracts: what must stay closed when files are named
mod holes_git; // contracts: what must stay closed when repositories are hostile
mod holes_runs; // contracts: what must stay closed when programs run
mod http; // scopes, and one workspace beside another
mod logs; // where calls are recorded, and that contents are not
mod owner; // what runs only where the owner of the machine trusts it
mod peers; // the cases of the reference servers' own tests that apply
