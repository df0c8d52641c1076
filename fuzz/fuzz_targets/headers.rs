#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hewto_mcp::fuzz::headers(input));
