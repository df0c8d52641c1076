-- A push writes less, and what it writes costs less: rows of five tables instead of seven, four entries of indexes instead of
-- nine, and no lock on rows that it does not change.
SELECT set_config('hewto.repos', '*', true);

-- Every push begins with its view: those under way end before anything is altered, and later ones wait, so that none of them
-- holds a table which this needs while it waits for another.
LOCK TABLE view IN ACCESS EXCLUSIVE MODE;

-- Nearly every transaction speaks for one repository, so that is compared before a list is read.
CREATE OR REPLACE FUNCTION may_see(repo bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE current_setting('hewto.repos', true)
        WHEN repo::text THEN true
        WHEN '*' THEN true
        ELSE repo = ANY (string_to_array(current_setting('hewto.repos', true), ',')::bigint[])
    END
$$;

-- Only the sweep asked for documents by hash, and it goes through whole repositories now. Without this index the hash of a
-- document can move on in its page, and no index hears of it. Tables that are full already make room as they are written.
DROP INDEX entry_by_hash;
ALTER TABLE entry SET (fillfactor = 85);
ALTER TABLE view SET (fillfactor = 50);

-- Repositories are never deleted, so this protected nothing; but every text locked the row of its repository, and pushes of one
-- repository at once had to agree on that lock.
ALTER TABLE blob DROP CONSTRAINT blob_repo_fkey;

-- What a table checks is read anew from its text by every statement that writes it; a policy is planned once for each connection,
-- with the rest of the statement. Both hold for every row that the hub writes.
ALTER POLICY of_granted ON view WITH CHECK (
    may_see(repo) AND kind IN ('branch', 'worktree') AND (kind = 'worktree') = (owner IS NOT NULL));
ALTER TABLE view DROP CONSTRAINT view_kind_check, DROP CONSTRAINT view_check;
ALTER POLICY of_granted ON blob WITH CHECK (may_see(repo) AND octet_length(hash) = 32);
ALTER TABLE blob DROP CONSTRAINT blob_hash_check;

-- Several times faster, where the server was built with it; what is stored already stays as it is.
DO $$
BEGIN
    ALTER TABLE blob ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;

-- A push is its own event: whoever follows what happens looks at pushes and at events. They go by transaction, because that tells
-- what could not be seen before: numbers of rows are given out in another order.
ALTER TABLE push_key ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX push_key_by_xid ON push_key (xid);
CREATE INDEX event_by_xid ON event (xid);

-- Everything that a push writes: texts, documents, what they touch and need, the version, the key and the audit; how many
-- documents there are then. Where the view is not at the version that the push began from it answers nothing and has changed
-- nothing. Where the key was used it fails as the table of keys does, and where a claim was given to somebody else since, with
-- a code of its own (HW001): either takes everything back.
--
-- Each statement is as plain as it can be: one that wrote everything took longer to set up than all of these take. Plans are
-- made once for each connection: what is looked for is always found by a whole key.
--
-- `write_push` stays, for replicas of the version before, which go on until somebody asks them whether they are ready. What they
-- write has a key too, and is followed by that; their own search does not follow what is written here.
CREATE FUNCTION store_push(
    of_repo bigint, of_kind text, of_owner bigint, of_name text, from_version bigint, new_head text,
    by_principal bigint, new_key text, asked bytea, claim_items text[], claim_fences bigint[],
    blob_hashes bytea[], blob_bodies text[], gone_paths text[],
    paths text[], hashes bytea[], kinds text[], items text[], capabilities text[], titles text[], counts int[], reader int,
    touch_paths text[], touch_changes text[], touch_capabilities text[], touch_slugs text[], touch_names text[],
    touch_ops text[], touch_contents bytea[],
    edge_paths text[], edge_items text[], edge_repos text[], edge_targets text[], edge_kinds text[],
    record_uids text[], audit_principal text, audit_repo text, audit_detail text
) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
    locked bigint;
    counted bigint;
    counted_before bigint;
    gone bigint := 0;
    is_written boolean := false;
    -- An assignment needs no statement.
    sees text := set_config('hewto.repos', of_repo::text, true);
BEGIN
    UPDATE view v SET version = v.version + 1, head = new_head, pushed_at = now()
    WHERE v.repo = of_repo AND v.kind = of_kind AND coalesce(v.owner, 0) = coalesce(of_owner, 0) AND v.name = of_name
      AND v.version = from_version
    RETURNING v.id, v.documents INTO locked, counted_before;
    IF locked IS NULL THEN
        RETURN NULL;
    END IF;
    counted := counted_before;
    IF cardinality(claim_items) > 0 THEN
        IF EXISTS (
            SELECT 1 FROM lease l JOIN unnest(claim_items, claim_fences) AS c (item, fence) ON c.item = l.item
            WHERE l.repo = of_repo AND l.fence > c.fence)
        THEN
            RAISE EXCEPTION 'a claim is over' USING ERRCODE = 'HW001';
        END IF;
    END IF;

    INSERT INTO blob (repo, hash, body)
    SELECT of_repo, h, b FROM unnest(blob_hashes, blob_bodies) AS x (h, b)
    ON CONFLICT (repo, hash) DO UPDATE SET stored_at = now() WHERE blob.stored_at < now() - interval '1 hour';

    IF cardinality(gone_paths) > 0 THEN
        DELETE FROM entry e WHERE e.view = locked AND e.path = ANY (gone_paths);
        GET DIAGNOSTICS gone = ROW_COUNT;
        counted := counted - gone;
    END IF;
    -- Most pushes bring one document that is known, and is what it was; anything else is written row by row of what came, never
    -- by going through the view.
    IF cardinality(paths) = 1 THEN
        UPDATE entry e SET hash = hashes[1], item = items[1], capability = capabilities[1],
            title = titles[1], requirements = counts[1], reader_version = reader
        WHERE e.view = locked AND e.path = paths[1] AND e.kind = kinds[1];
        is_written := FOUND;
    END IF;
    -- Only deltas touch, and only specs depend.
    IF NOT is_written OR kinds[1] = 'delta' OR gone > 0 THEN
        DELETE FROM touch t WHERE t.view = locked AND t.path = ANY (paths || gone_paths);
    END IF;
    IF NOT is_written OR kinds[1] = 'spec' OR gone > 0 THEN
        DELETE FROM edge e WHERE e.view = locked AND e.path = ANY (paths || gone_paths);
    END IF;
    IF NOT is_written THEN
        -- A row that was there is locked by who updates it, a new one is not: so nobody has to look before.
        WITH written AS (
            INSERT INTO entry (view, repo, path, hash, kind, item, capability, title, requirements, reader_version)
            SELECT locked, of_repo, p, h, k, i, c, t, n, reader
            FROM unnest(paths, hashes, kinds, items, capabilities, titles, counts) AS x (p, h, k, i, c, t, n)
            ON CONFLICT (view, path) DO UPDATE SET hash = excluded.hash, kind = excluded.kind, item = excluded.item,
                capability = excluded.capability, title = excluded.title, requirements = excluded.requirements,
                reader_version = excluded.reader_version
            RETURNING entry.xmax = 0 AS is_new)
        SELECT counted + count(*) FILTER (WHERE is_new) INTO counted FROM written;
    END IF;
    IF counted <> counted_before THEN
        UPDATE view v SET documents = counted WHERE v.id = locked;
    END IF;

    IF cardinality(touch_paths) > 0 THEN
        INSERT INTO touch (view, repo, path, change_id, capability, slug, requirement, op, content)
        SELECT locked, of_repo, p, i, c, s, r, o, h
        FROM unnest(touch_paths, touch_changes, touch_capabilities, touch_slugs, touch_names, touch_ops, touch_contents)
             AS x (p, i, c, s, r, o, h);
    END IF;
    IF cardinality(edge_paths) > 0 THEN
        INSERT INTO edge (view, repo, path, item, to_repo, target, kind)
        SELECT locked, of_repo, p, i, r, t, k
        FROM unnest(edge_paths, edge_items, edge_repos, edge_targets, edge_kinds) AS x (p, i, r, t, k);
    END IF;
    -- A record that was born here has come back: git has it.
    IF cardinality(record_uids) > 0 THEN
        UPDATE review r SET exported_at = now()
        WHERE r.repo = of_repo AND r.uid = ANY (record_uids) AND r.exported_at IS NULL;
    END IF;

    INSERT INTO push_key (repo, principal, key, view, version, documents, request)
    VALUES (of_repo, by_principal, new_key, locked, from_version + 1, counted, asked);
    INSERT INTO audit (principal, repo, op, outcome, detail)
    VALUES (audit_principal, audit_repo, 'push', 'ok', audit_detail);
    RETURN counted;
END $$;
