use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use ring::digest::{SHA256, digest};
use ring::signature::{Ed25519KeyPair, KeyPair as _};

use super::blob::put;
use super::signature::signed_bytes;
use super::*;

const MESSAGE: &[u8] = b"hewto review record\n";

/// A key as an authenticator would hold it, in software.
struct Authenticator(Ed25519KeyPair);

impl Authenticator {
    fn new(seed: u8) -> Self {
        Self(Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap())
    }

    fn key(&self, kind: &str) -> Vec<u8> {
        let mut key = Vec::new();
        put(&mut key, kind.as_bytes());
        put(&mut key, self.0.public_key().as_ref());
        if kind.starts_with("sk-") {
            put(&mut key, b"ssh:");
        }
        key
    }

    fn sign(&self, namespace: &str, flags: Option<u8>) -> String {
        let kind = if flags.is_some() { "sk-ssh-ed25519@openssh.com" } else { "ssh-ed25519" };
        let signed = signed_bytes(namespace, "sha512", MESSAGE).unwrap();
        let mut blob = Vec::new();
        put(&mut blob, kind.as_bytes());
        match flags {
            None => put(&mut blob, self.0.sign(&signed).as_ref()),
            Some(flags) => {
                let mut touched = digest(&SHA256, b"ssh:").as_ref().to_vec();
                touched.push(flags);
                touched.extend(7u32.to_be_bytes());
                touched.extend(digest(&SHA256, &signed).as_ref());
                put(&mut blob, self.0.sign(&touched).as_ref());
                blob.push(flags);
                blob.extend(7u32.to_be_bytes());
            }
        }
        let mut out = b"SSHSIG".to_vec();
        out.extend(1u32.to_be_bytes());
        for part in [&self.key(kind)[..], namespace.as_bytes(), b"", b"sha512", &blob] {
            put(&mut out, part);
        }
        format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", STANDARD.encode(out))
    }
}

#[test]
fn a_signature_counts_for_its_purpose_and_its_message_only() {
    let signature = SshSignature::parse(&Authenticator::new(1).sign(APPROVAL_NAMESPACE, None)).unwrap();
    assert_eq!(signature.verify(APPROVAL_NAMESPACE, MESSAGE), Some(Presence::Unknown));
    assert_eq!(signature.verify("git", MESSAGE), None);
    assert_eq!(signature.verify(APPROVAL_NAMESPACE, b"something else"), None);
}

#[test]
fn a_hardware_key_says_whether_it_was_touched_and_cannot_be_corrected() {
    let key = Authenticator::new(2);
    for (flags, told) in [(0x01, Presence::Touched), (0x05, Presence::Touched), (0x00, Presence::Absent)] {
        let signature = SshSignature::parse(&key.sign(APPROVAL_NAMESPACE, Some(flags))).unwrap();
        assert_eq!(signature.verify(APPROVAL_NAMESPACE, MESSAGE), Some(told), "{flags}");
    }
    let mut forged = SshSignature::parse(&key.sign(APPROVAL_NAMESPACE, Some(0))).unwrap();
    let at = forged.signature.len() - 5;
    forged.signature[at] = 1;
    assert_eq!(forged.verify(APPROVAL_NAMESPACE, MESSAGE), None, "the flag is part of what was signed");
}

#[test]
fn what_is_no_signature_is_none() {
    let whole = Authenticator::new(3).sign("git", None);
    for text in ["", "-----BEGIN SSH SIGNATURE-----", &whole.replace("SSH", "PGP"), &whole.replace('A', "")] {
        assert_eq!(SshSignature::parse(text), None, "{text}");
    }
}

#[test]
fn only_listed_keys_sign_for_what_and_when_the_list_says() {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let line =
        |key: &Authenticator| format!("ssh-ed25519 {} ana's laptop", STANDARD.encode(key.key("ssh-ed25519")));
    let [one, two, three] = [1, 2, 3].map(Authenticator::new);
    let text = format!(
        "# people\nana,ana@example.org {}\nbob namespaces=\"git,file\",valid-before=\"20260101\" {}\n* {}\ncarl cert-authority {}\ndora ssh-ed25519 !!\n",
        line(&one),
        line(&two),
        line(&three),
        line(&three)
    );
    let list = AllowedSigners::read(&text);
    let find = |key: &Authenticator, namespace: &str, moment: &str| {
        list.find(&key.key("ssh-ed25519"), namespace, at(moment)).map(|signer| signer.name.clone())
    };
    assert_eq!(find(&one, APPROVAL_NAMESPACE, "2026-06-01T00:00:00Z").as_deref(), Ok("ana"));
    assert_eq!(find(&two, "git", "2025-06-01T00:00:00Z").as_deref(), Ok("bob"));
    let bob = || "bob".to_owned();
    assert_eq!(find(&two, "git", "2026-06-01T00:00:00Z"), Err(NotASigner::NotAtThatTime(bob())));
    let for_commits = find(&two, APPROVAL_NAMESPACE, "2025-06-01T00:00:00Z");
    assert_eq!(for_commits, Err(NotASigner::ForSomethingElse(bob())));
    assert_eq!(find(&three, "git", "2025-06-01T00:00:00Z"), Err(NotASigner::Unlisted));
    assert_eq!(list.faults.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [4, 5, 6]);
}
