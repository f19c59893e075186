"""The tables in Postgres: migrations in plain SQL, each done once, in order, in one transaction."""

from __future__ import annotations

from typing import Final

FIRST: Final = """
CREATE TABLE meta(key text COLLATE "C" PRIMARY KEY, value text NOT NULL);

CREATE TABLE documents(
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    uri text COLLATE "C" NOT NULL,
    title text NOT NULL,
    media_type text NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    metadata text NOT NULL,
    whole integer NOT NULL,
    stamp text NOT NULL
);
CREATE INDEX documents_by_uri ON documents(uri);
CREATE INDEX documents_by_sha256 ON documents(sha256);

CREATE TABLE blocks(
    document bigint NOT NULL REFERENCES documents ON DELETE CASCADE,
    position bigint NOT NULL,
    text text NOT NULL,
    PRIMARY KEY(document, position)
);

CREATE TABLE passages(
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    document bigint NOT NULL REFERENCES documents ON DELETE CASCADE,
    ordinal bigint NOT NULL,
    start bigint NOT NULL,
    stop bigint NOT NULL,
    title text NOT NULL,
    digest bytea NOT NULL
);
CREATE INDEX passages_by_document ON passages(document, ordinal);

CREATE TABLE ledger(
    layer text COLLATE "C" NOT NULL,
    passage bigint NOT NULL REFERENCES passages ON DELETE CASCADE,
    fingerprint text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL CHECK(state IN ('done', 'failed')),
    error text,
    attempts bigint NOT NULL,
    payload bytea,
    PRIMARY KEY(layer, passage),
    CHECK((state = 'done') = (payload IS NOT NULL) AND (state = 'failed') = (error IS NOT NULL))
);
CREATE INDEX ledger_by_passage ON ledger(passage);
CREATE INDEX ledger_by_state ON ledger(layer, fingerprint, state, passage);

-- what each folder serves; version: the highest of a layer has what was gathered last, and a lower one is behind it
CREATE TABLE generations(
    layer text COLLATE "C" NOT NULL,
    place text COLLATE "C" NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY(layer, place)
);

-- paths are those that the record asks for: $."a"."b" and $."a".b
CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT (document::json #> string_to_array(replace(substr(path, 3), '"', ''), '.'))::text $$;
"""

# The numbers of passages that are gone, in order. The tables are those of the schema that whoever deletes is in.
SECOND: Final = """
CREATE TABLE removed(place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, passage bigint NOT NULL);
CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO removed(passage) SELECT number FROM gone; RETURN NULL; END $$;
CREATE TRIGGER passage_removed AFTER DELETE ON passages
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_removed();
"""

MIGRATIONS: Final = (FIRST, SECOND)
