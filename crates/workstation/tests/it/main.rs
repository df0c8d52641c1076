//! The workstation on a real machine: real files, real repositories, real processes.

// What files can do, and what they keep.
mod files;
// Trees, names and contents.
mod finding;
// The holes that stay closed: contracts of files.
mod holes_files;
// A folder of roots and a place outside of them.
mod yard;
