//! A clock that never jumps, as far as the system has one to be read.

use std::sync::OnceLock;

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Which start of the machine this is, and how many milliseconds ago that was; `None` where nobody says.
pub fn uptime() -> Option<(String, u64)> {
    let boot = fs_err::read_to_string(BOOT_ID).ok()?;
    let text = fs_err::read_to_string("/proc/uptime").ok()?;
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    let ms = seconds.parse::<u64>().ok()? * 1_000 + hundredths.get(..2)?.parse::<u64>().ok()? * 10;
    Some((boot.trim().to_owned(), ms))
}

/// Which start of the machine this is; `None` where nobody says. What was written since then is seen by every process, synced or not.
pub(crate) fn boot() -> Option<String> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || Some(fs_err::read_to_string(BOOT_ID).ok()?.trim().to_owned());
    let boot = BOOT.get_or_init(read).clone().filter(|boot| !boot.is_empty());
    #[cfg(feature = "fault-injection")]
    let boot = boot.map(|boot| format!("{boot}{}", crate::power::losses()));
    boot
}

/// Whether a process of this number is there, whoever's it is.
pub fn is_running(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| {
        !matches!(rustix::process::test_kill_process(pid), Err(error) if error == rustix::io::Errno::SRCH)
    })
}

/// What this machine is called, as far as the system says.
pub fn machine_name() -> String {
    let name = fs_err::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String = name.trim().chars().filter(|ch| !ch.is_control()).take(60).collect();
    if name.is_empty() { "machine".to_owned() } else { name }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_running() {
        assert!(is_running(std::process::id()));
        assert!(!is_running(0));
    }

    #[test]
    fn the_clock_goes_forward_within_one_start() {
        let (first, second) = (uptime().unwrap(), uptime().unwrap());
        assert_eq!(first.0, second.0);
        assert!(first.1 <= second.1 && first.1 > 0);
    }
}
