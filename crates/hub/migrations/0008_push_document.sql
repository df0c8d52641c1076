-- Nearly every push brings one document whose text comes along. That has a function of its own, which takes plain values instead
-- of twenty-seven lists, and writes each table by the plainest statement there is; `store_push` is for all others, and for
-- replicas of the version before.
--
-- It answers and fails as `store_push` does: nothing, and nothing changed, where the view is not at the version that the push
-- began from; an error of the table of keys where the key was used. A document that became another kind takes what it touched
-- along with it, which is more than this writes: it fails with a code of its own (HW002), and everything is taken back. The same
-- goes for deltas, which touch requirements; whoever calls this does not send them.
CREATE FUNCTION store_document(
    of_repo bigint, of_kind text, of_owner bigint, of_name text, from_version bigint, new_head text,
    by_principal bigint, new_key text, asked bytea,
    of_path text, new_hash bytea, new_body text, of_document_kind text, new_item text, new_title text, new_requirements int,
    reader int, audit_principal text, audit_repo text, audit_detail text
) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
    locked bigint;
    counted bigint;
    -- An assignment needs no statement.
    sees text := set_config('hewto.repos', of_repo::text, true);
BEGIN
    UPDATE view v SET version = v.version + 1, head = new_head, pushed_at = now()
    WHERE v.repo = of_repo AND v.kind = of_kind AND coalesce(v.owner, 0) = coalesce(of_owner, 0) AND v.name = of_name
      AND v.version = from_version
    RETURNING v.id, v.documents INTO locked, counted;
    IF locked IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE entry e SET hash = new_hash, item = new_item, capability = NULL, title = new_title,
        requirements = new_requirements, reader_version = reader
    WHERE e.view = locked AND e.path = of_path AND e.kind = of_document_kind;
    IF NOT FOUND THEN
        INSERT INTO entry (view, repo, path, hash, kind, item, title, requirements, reader_version)
        VALUES (locked, of_repo, of_path, new_hash, of_document_kind, new_item, new_title, new_requirements, reader)
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the document was of another kind' USING ERRCODE = 'HW002';
        END IF;
        counted := counted + 1;
        UPDATE view v SET documents = counted WHERE v.id = locked;
    ELSIF of_document_kind = 'spec' THEN
        -- What it depended on; only specs do.
        DELETE FROM edge e WHERE e.view = locked AND e.path = of_path;
    END IF;

    INSERT INTO blob (repo, hash, body) VALUES (of_repo, new_hash, new_body) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        -- It is there, or was until somebody swept it away: named again, it stays.
        INSERT INTO blob (repo, hash, body) VALUES (of_repo, new_hash, new_body)
        ON CONFLICT (repo, hash) DO UPDATE SET stored_at = now() WHERE blob.stored_at < now() - interval '1 hour';
    END IF;
    -- A record that was born here has come back, word for word: git has it. A file of its name alone says nothing.
    IF of_document_kind = 'review' THEN
        UPDATE review r SET exported_at = now()
        WHERE r.repo = of_repo AND r.uid = substring(of_path FROM '([^/]*)\.md$') AND r.exported_at IS NULL
          AND r.record = new_body;
    END IF;

    INSERT INTO push_key (repo, principal, key, view, version, documents, request)
    VALUES (of_repo, by_principal, new_key, locked, from_version + 1, counted, asked);
    INSERT INTO audit (principal, repo, op, outcome, detail)
    VALUES (audit_principal, audit_repo, 'push', 'ok', audit_detail);
    RETURN counted;
END $$;

-- As before, but for records: whoever pushed a file with the name of a record, whatever stood in it, made the hub believe that git
-- has the record, and stop telling of it one day.
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
    -- A record that was born here has come back, word for word: git has it. A file of its name alone says nothing.
    IF cardinality(record_uids) > 0 THEN
        UPDATE review r SET exported_at = now()
        WHERE r.repo = of_repo AND r.uid = ANY (record_uids) AND r.exported_at IS NULL
          AND sha256(convert_to(r.record, 'UTF8')) = ANY (hashes);
    END IF;

    INSERT INTO push_key (repo, principal, key, view, version, documents, request)
    VALUES (of_repo, by_principal, new_key, locked, from_version + 1, counted, asked);
    INSERT INTO audit (principal, repo, op, outcome, detail)
    VALUES (audit_principal, audit_repo, 'push', 'ok', audit_detail);
    RETURN counted;
END $$;

-- For whom each migration is, from this one on: a replica that knows the schema up to `oldest` loses and misses nothing beside
-- those that know this one. Replicas look at it every second, and stop answering where no row says so. Those of version 7
-- follow and write all that this version needs.
CREATE TABLE schema_reach (
    version bigint PRIMARY KEY,
    oldest bigint NOT NULL
);
INSERT INTO schema_reach (version, oldest) VALUES (8, 7);
