-- As before, in two statements for most pushes: the version is compared and moved on by one update, and what has no order among
-- itself is written by another. Where the view is at another version it answers no row and has changed nothing. Where the key was
-- used it fails as the table of keys does, and where a claim was given to somebody else since, with a code of its own (HW001):
-- either takes the update back.
CREATE OR REPLACE FUNCTION write_push(
    of_repo bigint, of_kind text, of_owner bigint, of_name text, from_version bigint, new_head text,
    by_principal bigint, new_key text, asked bytea, claim_items text[], claim_fences bigint[],
    blob_hashes bytea[], blob_bodies text[], gone_paths text[],
    paths text[], hashes bytea[], kinds text[], items text[], capabilities text[], titles text[], counts int[], reader int,
    touch_paths text[], touch_changes text[], touch_capabilities text[], touch_slugs text[], touch_names text[],
    touch_ops text[], touch_contents bytea[],
    edge_paths text[], edge_items text[], edge_repos text[], edge_targets text[], edge_kinds text[],
    record_uids text[], audit_principal text, audit_repo text, audit_detail text,
    OUT new_version bigint, OUT new_documents bigint
) RETURNS SETOF record LANGUAGE plpgsql SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
    locked bigint;
    more bigint;
    -- An assignment needs no statement.
    sees text := set_config('hewto.repos', of_repo::text, true);
BEGIN
    UPDATE view v SET version = v.version + 1, head = new_head, pushed_at = now()
    WHERE v.repo = of_repo AND v.kind = of_kind AND coalesce(v.owner, 0) = coalesce(of_owner, 0) AND v.name = of_name
      AND v.version = from_version
    RETURNING v.id, v.version, v.documents INTO locked, new_version, new_documents;
    IF locked IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(claim_items) > 0 THEN
        IF EXISTS (
            SELECT 1 FROM lease l JOIN unnest(claim_items, claim_fences) AS c (item, fence) ON c.item = l.item
            WHERE l.repo = of_repo AND l.fence > c.fence)
        THEN
            RAISE EXCEPTION 'a claim is over' USING ERRCODE = 'HW001';
        END IF;
    END IF;

    WITH old_touches AS (
        DELETE FROM touch t WHERE t.view = locked AND t.path = ANY (paths || gone_paths)
    ), old_edges AS (
        DELETE FROM edge e WHERE e.view = locked AND e.path = ANY (paths || gone_paths)
    ), texts AS (
        INSERT INTO blob (repo, hash, body)
        SELECT of_repo, h, b FROM unnest(blob_hashes, blob_bodies) AS x (h, b)
        ON CONFLICT (repo, hash) DO UPDATE SET stored_at = now() WHERE blob.stored_at < now() - interval '1 hour'
    ), gone AS (
        DELETE FROM entry e WHERE e.view = locked AND e.path = ANY (gone_paths) RETURNING 1
    ), written AS (
        -- A row that was there is locked by who updates it, a new one is not: so nobody has to look before.
        INSERT INTO entry (view, repo, path, hash, kind, item, capability, title, requirements, reader_version)
        SELECT locked, of_repo, p, h, k, i, c, t, n, reader
        FROM unnest(paths, hashes, kinds, items, capabilities, titles, counts) AS x (p, h, k, i, c, t, n)
        ON CONFLICT (view, path) DO UPDATE SET hash = excluded.hash, kind = excluded.kind, item = excluded.item,
            capability = excluded.capability, title = excluded.title, requirements = excluded.requirements,
            reader_version = excluded.reader_version
        RETURNING entry.xmax = 0 AS is_new
    ), counted AS (
        SELECT (SELECT count(*) FILTER (WHERE is_new) FROM written) - (SELECT count(*) FROM gone) AS more
    ), keyed AS (
        INSERT INTO push_key (repo, principal, key, view, version, documents, request)
        SELECT of_repo, by_principal, new_key, locked, new_version, new_documents + c.more, asked FROM counted c
    ), told AS (
        INSERT INTO event (repo, kind, key) VALUES (of_repo, 'push', locked::text)
    ), noted AS (
        INSERT INTO audit (principal, repo, op, outcome, detail)
        VALUES (audit_principal, audit_repo, 'push', 'ok', audit_detail)
    )
    SELECT c.more INTO more FROM counted c;
    IF more <> 0 THEN
        new_documents := new_documents + more;
        UPDATE view v SET documents = new_documents WHERE v.id = locked;
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
    RETURN NEXT;
END $$;
