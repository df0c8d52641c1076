-- A push of one document writes rows of four tables instead of five, and looks at no table that it has nothing in: what the audit has
-- to say of it stands in the row of its key, and is told to the audit within a second by whoever makes the chain. That row
-- is as durable as the push, and nobody changes or deletes it before.
--
-- Replicas of the version before go on beside this: they write by `store_document` and `store_push`, which tell the audit at once, and follow
-- what others push by its key, as before. What they do not do is tell the audit of others' pushes; it waits for a replica that does.
SELECT set_config('hewto.repos', '*', true);

-- Every push begins with its view: those under way end before anything is altered, and later ones wait, so that none of them
-- holds a table which this needs while it waits for another.
LOCK TABLE view IN ACCESS EXCLUSIVE MODE;

-- What the audit has to say of a push; nothing, once it was said.
ALTER TABLE push_key ADD COLUMN audit_principal text, ADD COLUMN audit_repo text, ADD COLUMN audit_detail text;
-- Telling changes a row once, soon after it was written, in its page: no index hears of it.
ALTER TABLE push_key SET (fillfactor = 50);

-- The row of a push that was not told yet is as append-only as the audit. It changes in one way: its words are taken out where the audit
-- has them, for the same transaction at the same time, and nothing else changes with that.
CREATE FUNCTION keep_until_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told push_key;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        told := OLD;
        told.audit_principal := NULL;
        told.audit_repo := NULL;
        told.audit_detail := NULL;
        IF NEW IS NOT DISTINCT FROM told AND EXISTS (
            SELECT 1 FROM audit a
            WHERE a.at = OLD.at AND a.xid = OLD.xid AND a.principal = OLD.audit_principal AND a.repo = OLD.audit_repo
              AND a.op = 'push' AND a.outcome = 'ok' AND a.detail = OLD.audit_detail)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit is append-only, and was not told of this push yet';
END $$;
CREATE TRIGGER push_key_kept_until_told BEFORE UPDATE OR DELETE ON push_key
    FOR EACH ROW WHEN (OLD.audit_detail IS NOT NULL) EXECUTE FUNCTION keep_until_told();
CREATE TRIGGER push_key_never_truncated BEFORE TRUNCATE ON push_key
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- Whether a document may depend on anything. Whoever writes a dependency says so here, whichever version does it; so a push looks for what
-- the document depended on only where there may be something.
ALTER TABLE entry ADD COLUMN has_edges boolean NOT NULL DEFAULT false;
UPDATE entry e SET has_edges = true
WHERE EXISTS (SELECT 1 FROM edge d WHERE d.view = e.view AND d.path = e.path);

CREATE FUNCTION note_edges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE entry e SET has_edges = true
    FROM (SELECT DISTINCT a.view, a.path FROM added a) d
    WHERE e.view = d.view AND e.path = d.path AND NOT e.has_edges;
    RETURN NULL;
END $$;
CREATE TRIGGER edge_noted AFTER INSERT ON edge REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_edges();

-- As `store_document`, which stays for replicas of the version before: one document whose text comes along, by plain values. It
-- answers and fails in the same way. The audit is told later.
CREATE FUNCTION push_document(
    of_repo bigint, of_kind text, of_owner bigint, of_name text, from_version bigint, new_head text,
    by_principal bigint, new_key text, asked bytea,
    of_path text, new_hash bytea, new_body text, of_document_kind text, new_item text, new_title text, new_requirements int,
    reader int, audit_principal text, audit_repo text, audit_detail text
) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
    locked bigint;
    counted bigint;
    had_edges boolean;
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
    WHERE e.view = locked AND e.path = of_path AND e.kind = of_document_kind
    RETURNING e.has_edges INTO had_edges;
    IF had_edges IS NULL THEN
        INSERT INTO entry (view, repo, path, hash, kind, item, title, requirements, reader_version)
        VALUES (locked, of_repo, of_path, new_hash, of_document_kind, new_item, new_title, new_requirements, reader)
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the document was of another kind' USING ERRCODE = 'HW002';
        END IF;
        counted := counted + 1;
        IF counted > 50000 THEN
            RAISE EXCEPTION 'a view has 50,000 documents at most' USING ERRCODE = 'HW003';
        END IF;
        UPDATE view v SET documents = counted WHERE v.id = locked;
    ELSIF had_edges THEN
        DELETE FROM edge e WHERE e.view = locked AND e.path = of_path;
        UPDATE entry e SET has_edges = false WHERE e.view = locked AND e.path = of_path;
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

    INSERT INTO push_key (repo, principal, key, view, version, documents, request, audit_principal, audit_repo, audit_detail)
    VALUES (of_repo, by_principal, new_key, locked, from_version + 1, counted, asked,
            push_document.audit_principal, push_document.audit_repo, push_document.audit_detail);
    RETURN counted;
END $$;

-- Replicas of version 7 and later keep and see everything beside this.
INSERT INTO schema_reach (version, oldest) VALUES (9, 7);
