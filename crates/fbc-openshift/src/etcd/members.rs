//! The members of etcd, and when one may go.
//!
//! Source: `openshift/cluster-etcd-operator:pkg/operator/ceohelpers`, `pkg/operator/clustermemberremovalcontroller`
//! (MA-25 to MA-30).

use fbc_cluster::time::{Milliseconds, Moment};

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The node that it runs on.
    pub node: String,
    /// The internal address of the node.
    pub address: String,
    /// Since when it is there.
    pub since: Moment,
    /// Whether it votes; a learner does not.
    pub votes: bool,
}

/// All members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    /// In the order in which they came.
    pub all: Vec<Member>,
}

/// How many voters must stay healthy, for this many of them: 1, 2, 2, 3, 3.
pub fn quorum(voters: usize) -> usize {
    voters / 2 + 1
}

/// What is known of a voter when one is to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// The node that it runs on.
    pub node: String,
    /// Whether it answers.
    pub is_healthy: bool,
    /// Whether its machine is to go.
    pub is_leaving: bool,
}

/// Why no voter is removed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// None is to go.
    NobodyLeaves,
    /// A voter more than wanted must be there first.
    WaitsForReplacement,
    /// Too few are healthy.
    NoQuorum {
        /// So many are.
        healthy: usize,
        /// So many must be.
        needed: usize,
    },
    /// Somebody is unhealthy who is not to go.
    Unhealthy(Vec<String>),
}

/// The voter to remove next, at most one at a time: unhealthy ones first.
///
/// # Errors
/// Why none is removed.
pub fn next_removal(voters: &[Voter], desired: usize) -> Result<&Voter, Kept> {
    let leaving = || voters.iter().filter(|voter| voter.is_leaving);
    let first =
        leaving().find(|voter| !voter.is_healthy).or_else(|| leaving().next()).ok_or(Kept::NobodyLeaves)?;
    let healthy = voters.iter().filter(|voter| voter.is_healthy).count();
    if voters.len() < desired {
        return Err(Kept::WaitsForReplacement);
    }
    let needed = quorum(voters.len());
    if healthy < needed {
        return Err(Kept::NoQuorum { healthy, needed });
    }
    let stuck: Vec<String> = voters
        .iter()
        .filter(|voter| !voter.is_healthy && !voter.is_leaving)
        .map(|voter| voter.node.clone())
        .collect();
    if !stuck.is_empty() {
        return Err(Kept::Unhealthy(stuck));
    }
    if healthy == voters.len() && voters.len() <= desired {
        return Err(Kept::WaitsForReplacement);
    }
    Ok(first)
}

impl Members {
    /// The member on a node.
    pub fn on(&self, node: &str) -> Option<&Member> {
        self.all.iter().find(|member| member.node == node)
    }

    /// Those that vote.
    pub fn voters(&self) -> impl Iterator<Item = &Member> {
        self.all.iter().filter(|member| member.votes)
    }

    /// Learners that have caught up with the leader after so long vote from now on; answers with their nodes.
    pub fn promote(&mut self, now: Moment, catches_up: Milliseconds) -> Vec<String> {
        let ready =
            self.all.iter_mut().filter(|member| !member.votes && now.since(member.since) >= catches_up);
        ready
            .map(|member| {
                member.votes = true;
                member.node.clone()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voter(node: &str, is_healthy: bool, is_leaving: bool) -> Voter {
        Voter { node: node.to_owned(), is_healthy, is_leaving }
    }

    #[test]
    fn quorum_is_a_majority() {
        assert_eq!([1, 2, 3, 4, 5].map(quorum), [1, 2, 2, 3, 3]);
    }

    #[test]
    fn a_healthy_voter_goes_when_there_is_one_more_than_wanted() {
        let mut voters = vec![voter("m0", true, true), voter("m1", true, false), voter("m2", true, false)];
        assert_eq!(next_removal(&voters, 3), Err(Kept::WaitsForReplacement));
        voters.push(voter("m3", true, false));
        assert_eq!(next_removal(&voters, 3).unwrap().node, "m0");
    }

    #[test]
    fn an_unhealthy_voter_goes_at_three() {
        let mut voters = vec![voter("m0", false, true), voter("m1", true, false), voter("m2", true, false)];
        assert_eq!(next_removal(&voters, 3).unwrap().node, "m0");
        voters[1].is_healthy = false;
        assert_eq!(next_removal(&voters, 3), Err(Kept::NoQuorum { healthy: 1, needed: 2 }));
    }

    #[test]
    fn somebody_unhealthy_who_stays_holds_everybody() {
        let voters = [
            voter("m0", true, true),
            voter("m1", false, false),
            voter("m2", true, false),
            voter("m3", true, false),
        ];
        assert_eq!(next_removal(&voters, 3), Err(Kept::Unhealthy(vec!["m1".to_owned()])));
    }
}
