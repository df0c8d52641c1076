//! Whose address it is: one machine, as far as an address can tell.

use std::net::{IpAddr, Ipv6Addr};

/// Addresses that are counted together. A machine has a whole network of IPv6 addresses to come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct AddressKey(IpAddr);

impl From<IpAddr> for AddressKey {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) if !address.is_loopback() => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                Self(IpAddr::V6(Ipv6Addr::from(network)))
            }
            address => Self(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_one_machine_counts_as_one_and_two_machines_as_two() {
        let key = |text: &str| AddressKey::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:1"));
        assert_eq!(key("::ffff:192.0.2.1"), key("192.0.2.1"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
    }
}
