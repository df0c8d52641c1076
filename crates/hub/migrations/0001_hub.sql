-- Everything that the hub keeps. What comes from git can be deleted and pushed again; what is born here (leases, reviews,
-- audit) cannot.
CREATE TABLE org (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
);
INSERT INTO org (name) VALUES ('default');

CREATE TABLE principal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org bigint NOT NULL DEFAULT 1 REFERENCES org,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE repo (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org bigint NOT NULL DEFAULT 1 REFERENCES org,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Only the SHA-256 of a token is here.
CREATE TABLE token (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    principal bigint NOT NULL REFERENCES principal,
    digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
    role text NOT NULL CHECK (role IN ('reader', 'agent', 'reviewer', 'ci', 'admin')),
    all_repos boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
);
CREATE TABLE token_repo (
    token bigint NOT NULL REFERENCES token,
    repo bigint NOT NULL REFERENCES repo,
    PRIMARY KEY (token, repo)
);

-- For people whom an OAuth issuer knows.
CREATE TABLE access_grant (
    principal bigint NOT NULL REFERENCES principal,
    repo bigint REFERENCES repo,
    role text NOT NULL CHECK (role IN ('reader', 'agent', 'reviewer', 'ci', 'admin'))
);
CREATE UNIQUE INDEX access_grant_once ON access_grant (principal, coalesce(repo, 0));

-- A blob belongs to a repository: knowing a hash of another one opens nothing, and "missing" tells nothing of it.
CREATE TABLE blob (
    repo bigint NOT NULL REFERENCES repo,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    body text NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repo, hash)
);

CREATE TABLE view (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repo bigint NOT NULL REFERENCES repo,
    kind text NOT NULL CHECK (kind IN ('branch', 'worktree')),
    name text NOT NULL,
    -- Whose work tree it is; a branch is nobody's.
    owner bigint REFERENCES principal,
    head text,
    version bigint NOT NULL DEFAULT 0,
    documents bigint NOT NULL DEFAULT 0,
    pushed_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind = 'worktree') = (owner IS NOT NULL))
);
CREATE UNIQUE INDEX view_once ON view (repo, kind, coalesce(owner, 0), name);

CREATE TABLE entry (
    view bigint NOT NULL REFERENCES view ON DELETE CASCADE,
    repo bigint NOT NULL,
    path text NOT NULL,
    hash bytea NOT NULL,
    kind text NOT NULL,
    item text NOT NULL,
    capability text,
    title text,
    requirements integer NOT NULL DEFAULT 0,
    reader_version integer NOT NULL,
    PRIMARY KEY (view, path)
);
CREATE INDEX entry_by_item ON entry (repo, item);
CREATE INDEX entry_by_hash ON entry (repo, hash);

CREATE TABLE touch (
    view bigint NOT NULL REFERENCES view ON DELETE CASCADE,
    repo bigint NOT NULL,
    path text NOT NULL,
    change_id text NOT NULL,
    capability text NOT NULL,
    slug text NOT NULL,
    requirement text NOT NULL,
    op text NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (view, path, slug)
);
CREATE INDEX touch_by_requirement ON touch (capability, slug);

CREATE TABLE edge (
    view bigint NOT NULL REFERENCES view ON DELETE CASCADE,
    repo bigint NOT NULL,
    path text NOT NULL,
    item text NOT NULL,
    to_repo text,
    target text NOT NULL,
    kind text NOT NULL
);
CREATE INDEX edge_of_view ON edge (view, path);
CREATE INDEX edge_to ON edge (to_repo, target);

CREATE TABLE push_key (
    repo bigint NOT NULL,
    principal bigint NOT NULL,
    key text NOT NULL,
    view bigint NOT NULL,
    version bigint NOT NULL,
    documents bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repo, principal, key)
);

CREATE SEQUENCE lease_fence;
CREATE TABLE lease (
    repo bigint NOT NULL REFERENCES repo,
    item text NOT NULL,
    fence bigint NOT NULL DEFAULT 0,
    principal text NOT NULL DEFAULT '',
    session text NOT NULL DEFAULT '',
    worktree text NOT NULL DEFAULT '',
    branch text,
    since timestamptz,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    -- Until when somebody holds a step of this item.
    steps_until timestamptz NOT NULL DEFAULT '-infinity',
    released boolean NOT NULL DEFAULT true,
    note text,
    PRIMARY KEY (repo, item)
);

CREATE TABLE review (
    repo bigint NOT NULL REFERENCES repo,
    uid text NOT NULL,
    item text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('verdict', 'comment', 'resolution')),
    verdict text,
    by_whom text NOT NULL,
    content bytea NOT NULL,
    said text NOT NULL,
    -- The file as it goes to git.
    record text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    exported_at timestamptz,
    PRIMARY KEY (repo, uid)
);
CREATE INDEX review_of_item ON review (repo, item);
CREATE INDEX review_to_export ON review (repo) WHERE exported_at IS NULL;

-- What changed, in an order that pollers can trust: they stop below the oldest transaction that still runs.
CREATE TABLE event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    repo bigint NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    principal text NOT NULL,
    repo text NOT NULL,
    op text NOT NULL,
    outcome text NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE TABLE audit_rest PARTITION OF audit DEFAULT;

-- The chain over the audit: each link covers one row and the link before it.
CREATE TABLE audit_link (
    seq bigint PRIMARY KEY,
    audit bigint NOT NULL UNIQUE,
    at timestamptz NOT NULL,
    prev bytea NOT NULL,
    hash bytea NOT NULL
);

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit is append-only';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER audit_never_truncated BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER audit_link_append_only BEFORE UPDATE OR DELETE ON audit_link
    FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER audit_link_never_truncated BEFORE TRUNCATE ON audit_link
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- The second fence. Every transaction says for which repositories it speaks; what says nothing sees nothing.
CREATE FUNCTION may_see(repo bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE current_setting('hewto.repos', true)
        WHEN '*' THEN true
        ELSE repo = ANY (string_to_array(current_setting('hewto.repos', true), ',')::bigint[])
    END
$$;

DO $$
DECLARE fenced text;
BEGIN
    FOREACH fenced IN ARRAY ARRAY['blob', 'view', 'entry', 'touch', 'edge', 'lease', 'review', 'push_key'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', fenced);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', fenced);
        EXECUTE format('CREATE POLICY of_granted ON %I USING (may_see(repo)) WITH CHECK (may_see(repo))', fenced);
    END LOOP;
END $$;
