//! Squeezes the weights and the graphs of the bundled model into what is compiled into the library.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script by the environment where to write"
)]

#[path = "build/squeeze.rs"]
mod squeeze;

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build/squeeze.rs");
    if env::var_os("CARGO_FEATURE_BUNDLED_MODEL").is_none() {
        return Ok(());
    }
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo names no folder to write to"))?;
    for name in ["words", "layers", "bulk"] {
        let weights = format!("model/{name}.bin");
        println!("cargo:rerun-if-changed={weights}");
        let squeezed = squeeze::squeeze(&fs::read(weights)?);
        fs::write(Path::new(&out).join(format!("{name}.squeezed")), squeezed)?;
    }
    for name in ["graph", "graph-int8", "bulk-int8", "reader", "reader-int8", "question", "question-int8"] {
        let graph = format!("model/{name}.onnx");
        println!("cargo:rerun-if-changed={graph}");
        // They are mostly names that come again and again.
        let squeezed = lz4_flex::block::compress_prepend_size(&fs::read(graph)?);
        fs::write(Path::new(&out).join(format!("{name}.lz4")), squeezed)?;
    }
    Ok(())
}
