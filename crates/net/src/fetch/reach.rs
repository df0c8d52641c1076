//! Which machines may be contacted: those that everybody can reach, and those that the owner trusts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// How far the first address may lead. One that it sends on to has to be public, unless it is the same host again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// To machines that everybody can reach.
    Public,
    /// Anywhere: the owner of this machine trusts the host.
    Anywhere,
}

/// Looks names up, and refuses what is not for everybody. The connection is made to the very addresses that were
/// looked at, so a name cannot change its mind in between.
#[derive(Debug)]
pub(super) struct Guarded {
    resolver: DefaultResolver,
    /// Host and port that may be anywhere.
    trusted: Option<(String, u16)>,
}

/// The refusal of an address.
#[derive(Debug, Error)]
#[error("the address is not public")]
pub(super) struct NotPublic;

impl Guarded {
    pub(super) fn new(url: &str, reach: Reach) -> Self {
        let trusted = match reach {
            Reach::Public => None,
            Reach::Anywhere => url.parse().ok().as_ref().and_then(host_and_port),
        };
        Self { resolver: DefaultResolver::default(), trusted }
    }
}

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.resolver.resolve(uri, config, timeout)?;
        let is_trusted = self.trusted.is_some() && self.trusted == host_and_port(uri);
        if is_trusted || found.iter().all(|address| is_public(address.ip())) {
            Ok(found)
        } else {
            Err(ureq::Error::Other(Box::new(NotPublic)))
        }
    }
}

fn host_and_port(uri: &Uri) -> Option<(String, u16)> {
    Some((uri.host()?.to_ascii_lowercase(), uri.port_u16().unwrap_or(443)))
}

/// Whether everybody can reach this address, as far as the registries tell.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        // Shared by a provider's customers.
        || (a == 100 && (64..128).contains(&b))
        // For protocols, and for measuring.
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (b == 18 || b == 19))
        // Groups, what is reserved, everybody at once.
        || a >= 224;
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |at: usize| {
        let [a, b] = segments[at].to_be_bytes();
        let [c, d] = segments[at + 1].to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        // An IPv4 address in other clothes.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(embedded(6)),
        [0x2002, ..] => is_public_v4(embedded(1)),
        // Teredo, documentation.
        [0x2001, 0 | 0xdb8, ..] | [0x3fff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_for_everybody_are_public() {
        for address in [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "100::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "1.1.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
