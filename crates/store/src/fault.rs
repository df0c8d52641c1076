//! Faults on demand: tests make any call that writes fail, or end the process there (D-8).
//!
//! The plan belongs to one thread, so that tests do not meet each other's faults. Without the feature
//! `fault-injection` all of this is compiled away.

use std::cell::RefCell;
use std::time::Duration;

use crate::power;

/// What happens at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The call fails with this error number; a write has written half of its bytes.
    Fail(i32),
    /// As [`Fault::Fail`], and every later call fails too, as on a disk that is full or gone.
    FailFromHere(i32),
    /// The system takes half of the bytes of a write, and the rest when it is asked again. Other calls are not affected.
    Short,
    /// The call takes this long, as on a disk that is busy.
    Slow(Duration),
    /// The process ends without any clean-up; a write has written half of its bytes.
    Kill,
}

/// Which call is hit, counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultPlan {
    pub at: usize,
    pub fault: Fault,
}

thread_local! {
    static STATE: RefCell<State> =
        const { RefCell::new(State { plan: None, second: None, named: None, meanwhile: None, trace: Vec::new() }) };
}

struct State {
    plan: Option<FaultPlan>,
    second: Option<FaultPlan>,
    named: Option<(&'static str, Fault)>,
    meanwhile: Option<(usize, Box<dyn FnOnce()>)>,
    trace: Vec<String>,
}

/// Starts counting anew on this thread, with this plan.
pub fn inject(plan: Option<FaultPlan>) {
    let (second, named, meanwhile, trace) = (None, None, None, Vec::new());
    STATE.with_borrow_mut(|state| *state = State { plan, second, named, meanwhile, trace });
}

/// Starts counting anew on this thread; the first call whose `<call> <name>` begins so meets the fault.
pub fn inject_at(call: &'static str, fault: Fault) {
    inject(None);
    STATE.with_borrow_mut(|state| state.named = Some((call, fault)));
}

/// The same with two plans.
pub fn inject_two(first: FaultPlan, second: FaultPlan) {
    inject(Some(first));
    STATE.with_borrow_mut(|state| state.second = Some(second));
}

/// Adds a plan to what was asked for since [`inject`].
pub fn also(plan: FaultPlan) {
    STATE.with_borrow_mut(|state| state.second = Some(plan));
}

/// Starts counting anew on this thread, and does something else right before the chosen call.
pub fn meanwhile(at: usize, act: impl FnOnce() + 'static) {
    inject(None);
    STATE.with_borrow_mut(|state| state.meanwhile = Some((at, Box::new(act))));
}

/// Starts counting anew, with this plan, and remembers what is not durable yet; [`lose_power`] takes it back.
pub fn inject_and_remember(plan: Option<FaultPlan>) {
    inject(plan);
    power::remember();
}

/// Takes back what was done on this thread since [`inject_and_remember`] and was not synced, as a loss of power may:
/// everything, or for each folder and file only the last half of it.
pub fn lose_power(everything: bool) {
    power::lose(everything);
}

/// The calls that were reached since [`inject`], each as `<call> <name>`.
pub fn trace() -> Vec<String> {
    STATE.with_borrow(|state| state.trace.clone())
}

/// Notes a call and says which fault it meets.
pub(crate) fn reach(call: &str, name: &str) -> Option<Fault> {
    let (plan, act) = STATE.with_borrow_mut(|state| {
        let (index, reached) = (state.trace.len(), format!("{call} {name}"));
        if let Some((_, fault)) = state.named.take_if(|(named, _)| reached.starts_with(*named)) {
            state.plan = Some(FaultPlan { at: index, fault });
        }
        state.trace.push(reached);
        let mut plans = [state.plan, state.second].into_iter().flatten();
        let plan = plans.find(|plan| match plan.fault {
            Fault::FailFromHere(_) => index >= plan.at,
            Fault::Fail(_) | Fault::Short | Fault::Slow(_) | Fault::Kill => index == plan.at,
        });
        (plan, state.meanwhile.take_if(|(at, _)| *at == index))
    });
    if let Some((_, act)) = act {
        act();
    }
    plan.map(|plan| plan.fault)
}
