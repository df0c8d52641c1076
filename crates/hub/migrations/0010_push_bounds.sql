-- What a push may do is bounded by what comes of it, not only by what it asks for:
--
-- - Work that was claimed is pushed by whoever holds the claim, under its number. Any number from that of the holder on was taken, whoever
--   named it, and a refusal told the number. An item that nobody has claimed here says nothing: a hub that was filled anew knows no old claims.
-- - A view holds 50,000 documents (HW003), also where several pushes bring them.
-- - What is taken out is joined, never looked up in a list: a plan from when a table was small went through the list for
--   every row, which took 13 seconds for 40,000 documents.
CREATE OR REPLACE FUNCTION store_push(
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
            WHERE l.repo = of_repo AND l.fence > 0 AND (l.fence <> c.fence OR l.principal <> store_push.audit_principal))
        THEN
            RAISE EXCEPTION 'a claim is over' USING ERRCODE = 'HW001';
        END IF;
    END IF;

    INSERT INTO blob (repo, hash, body)
    SELECT of_repo, h, b FROM unnest(blob_hashes, blob_bodies) AS x (h, b)
    ON CONFLICT (repo, hash) DO UPDATE SET stored_at = now() WHERE blob.stored_at < now() - interval '1 hour';

    IF cardinality(gone_paths) > 0 THEN
        DELETE FROM entry e USING unnest(gone_paths) AS g (path) WHERE e.view = locked AND e.path = g.path;
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
        DELETE FROM touch t USING unnest(paths || gone_paths) AS g (path) WHERE t.view = locked AND t.path = g.path;
    END IF;
    IF NOT is_written OR kinds[1] = 'spec' OR gone > 0 THEN
        DELETE FROM edge e USING unnest(paths || gone_paths) AS g (path) WHERE e.view = locked AND e.path = g.path;
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
    IF counted > 50000 AND counted > counted_before THEN
        RAISE EXCEPTION 'a view has 50,000 documents at most' USING ERRCODE = 'HW003';
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
    -- A record that was born here has come back, word for word: git has it. A file of its name alone says nothing.
    IF cardinality(record_uids) > 0 THEN
        UPDATE review r SET exported_at = now()
        WHERE r.repo = of_repo AND r.uid IN (SELECT u FROM unnest(record_uids) AS x (u)) AND r.exported_at IS NULL
          AND sha256(convert_to(r.record, 'UTF8')) IN (SELECT h FROM unnest(hashes) AS x (h));
    END IF;

    INSERT INTO push_key (repo, principal, key, view, version, documents, request)
    VALUES (of_repo, by_principal, new_key, locked, from_version + 1, counted, asked);
    INSERT INTO audit (principal, repo, op, outcome, detail)
    VALUES (audit_principal, audit_repo, 'push', 'ok', audit_detail);
    RETURN counted;
END $$;

-- Replicas of version 7 and later write by these functions and see everything beside this; a view that is full they call out of order.
INSERT INTO schema_reach (version, oldest) VALUES (10, 7);
