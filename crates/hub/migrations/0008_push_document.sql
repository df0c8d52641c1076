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
    -- A record that was born here has come back: git has it.
    IF of_document_kind = 'review' THEN
        UPDATE review r SET exported_at = now()
        WHERE r.repo = of_repo AND r.uid = substring(of_path FROM '([^/]*)\.md$') AND r.exported_at IS NULL;
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
