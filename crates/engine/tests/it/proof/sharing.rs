//! One run for all who ask about the same tree.

use std::sync::Barrier;

use super::Yard;

#[test]
fn eight_who_ask_at_once_get_one_run() {
    let yard = Yard::new("echo x >> ../count-$(basename $PWD); sleep 0.3; echo 'ok 1 - a' > report.tap");
    let barrier = Barrier::new(8);
    let checks: Vec<_> = std::thread::scope(|scope| {
        let ask = || {
            barrier.wait();
            yard.check()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let name = yard.files.root().file_name().unwrap().to_string_lossy().into_owned();
    let count = yard.files.root().parent().unwrap().join(format!("count-{name}"));
    let ran = fs_err::read_to_string(&count).unwrap().lines().count();
    fs_err::remove_file(count).unwrap();
    assert_eq!(ran, 1);
    assert!(checks.iter().all(|check| check.status == "passed" && check.run == checks[0].run));
    assert_eq!(checks.iter().filter(|check| !check.shared && !check.cached).count(), 1);
}

#[test]
fn two_checks_of_one_checkout_run_one_after_the_other() {
    let yard = Yard::new(
        "test -e busy && exit 9; touch busy; sleep 0.2; rm busy; echo 'ok 1 - a' > $0.tap; echo 'ok 1 - a' > report.tap",
    );
    let settings = yard.files.read(".hewto/proof.toml");
    yard.files.add(&format!("//- .hewto/proof.toml\n{settings}[check.more]\nrun = [\"./check.sh\", \"more\"]\nreport = \"check.sh.tap\"\nformat = \"tap\"\n//- .gitignore\nbusy\n"));
    let ask = |name: &str| {
        let request =
            hewto_engine::proof::run::RunRequest { checks: vec![name.to_owned()], ..Default::default() };
        hewto_engine::proof::run::run(&yard.workspace(), &yard.context(), &request).unwrap().checks.remove(0)
    };
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| ask("unit"));
        let two = ask("more");
        (one.join().unwrap(), two)
    });
    assert_eq!((one.status.as_str(), two.status.as_str()), ("passed", "passed"), "{one:#?} {two:#?}");
}
