-- Numbers of claims come from a sequence of their repository, so whoever takes one waits for nobody. A row that all of them
-- updated made two hundred agents stand in one line.
SELECT set_config('hewto.repos', '*', true);

DO $$
DECLARE counted record;
BEGIN
    FOR counted IN SELECT repo, last FROM fence_counter WHERE last > 0 LOOP
        EXECUTE format('CREATE SEQUENCE %I', 'fence_of_' || counted.repo);
        PERFORM setval(('fence_of_' || counted.repo)::regclass, counted.last);
    END LOOP;
END $$;
DROP TABLE fence_counter;

-- Makes sure that there is a row for each item, and a sequence above every number that was given, here or without the hub.
-- Whoever makes or raises the sequence does so alone; whoever only takes numbers shares the lock with all others.
CREATE FUNCTION prepare_claims(of_repo bigint, items text[], after bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    counter text := 'fence_of_' || of_repo;
    lock_key bigint := hashtextextended('hewto fence', of_repo);
    given bigint;
BEGIN
    IF to_regclass(counter) IS NOT NULL THEN
        EXECUTE format('SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM %I', counter) INTO given;
    END IF;
    IF given IS NULL OR given < after THEN
        PERFORM pg_advisory_xact_lock(lock_key);
        EXECUTE format('CREATE SEQUENCE IF NOT EXISTS %I', counter);
        IF after > 0 THEN
            EXECUTE format(
                'SELECT setval(%L, $1) FROM %I WHERE CASE WHEN is_called THEN last_value ELSE last_value - 1 END < $1',
                counter, counter) USING after;
        END IF;
    ELSE
        PERFORM pg_advisory_xact_lock_shared(lock_key);
    END IF;
    -- In one order, so that two who ask for the same never wait for each other in a circle.
    INSERT INTO lease (repo, item)
    SELECT of_repo, i FROM unnest(items) AS x (i)
    WHERE NOT EXISTS (SELECT 1 FROM lease l WHERE l.repo = of_repo AND l.item = i)
    ORDER BY i ON CONFLICT DO NOTHING;
END $$;

-- What somebody was shown, so that every replica can tell what is different when they decide; and what they have looked at.
CREATE TABLE shown (
    repo bigint NOT NULL REFERENCES repo,
    digest text NOT NULL,
    item text NOT NULL,
    meaning text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repo, digest)
);
CREATE TABLE look (
    repo bigint NOT NULL REFERENCES repo,
    person text NOT NULL,
    item text NOT NULL,
    looks text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repo, person, item)
);

DO $$
DECLARE fenced text;
BEGIN
    FOREACH fenced IN ARRAY ARRAY['shown', 'look'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', fenced);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', fenced);
        EXECUTE format('CREATE POLICY of_granted ON %I USING (may_see(repo)) WITH CHECK (may_see(repo))', fenced);
    END LOOP;
END $$;
