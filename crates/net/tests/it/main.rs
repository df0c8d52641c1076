//! A model provider on this machine that speaks each wire format, and misbehaves.

mod failures; // time-outs, failures and nonsense: how often it is tried again, and what comes of it
mod wire; // what the client sends and reads, for each provider
