-- Numbers of claims count by repository: one counter for all of them told everybody how much is claimed elsewhere.
SELECT set_config('hewto.repos', '*', true);

CREATE TABLE fence_counter (
    repo bigint PRIMARY KEY REFERENCES repo,
    last bigint NOT NULL DEFAULT 0
);
INSERT INTO fence_counter (repo, last) SELECT repo, max(fence) FROM lease GROUP BY repo;

ALTER TABLE fence_counter ENABLE ROW LEVEL SECURITY;
ALTER TABLE fence_counter FORCE ROW LEVEL SECURITY;
CREATE POLICY of_granted ON fence_counter USING (may_see(repo)) WITH CHECK (may_see(repo));

DROP SEQUENCE lease_fence;

-- What a key was used for: the same key with something else is a mistake, and not the same push again.
ALTER TABLE push_key ADD COLUMN request bytea;
