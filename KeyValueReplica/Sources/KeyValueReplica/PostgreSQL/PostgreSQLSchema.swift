/// The tables and functions of the schema `kvo`.
enum PostgreSQLSchema {
  /// The version of the tables and functions.
  static let format: Int64 = 1

  /// The key of the advisory lock that makes processes set a database up one after the other: "kvor".
  static let lock: Int64 = 0x6B76_6F72

  /// Where commits of the document `$1` are told.
  ///
  /// By its name, because its id changes if it's deleted and made again.
  static let channel = "'kvo_' || to_hex(hashtextextended($1, 0))"

  /// Whether `$2` is the revision and `$3` the transaction of a position of the document `d`.
  static let isKnown = """
    ($2 BETWEEN d.oldest AND d.revision AND $3 IS NOT DISTINCT FROM CASE $2
      WHEN d.revision THEN d.head WHEN d.oldest THEN d.oldest_id
      ELSE (SELECT id FROM kvo.record WHERE document = d.id AND revision = $2) END)
    """

  /// What makes them, in order, in the schema.
  static let statements = [
    // 99.9 % of the updates of a document stay on its page.
    """
    CREATE TABLE kvo.document (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      epoch uuid NOT NULL DEFAULT gen_random_uuid(),
      schema bigint NOT NULL,
      revision bigint NOT NULL DEFAULT 0,
      head uuid,
      oldest bigint NOT NULL DEFAULT 0,
      oldest_id uuid
    ) WITH (
      fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)
    """,
    // Without a foreign key, which would cost each append a look-up: an append holds the document's row.
    """
    CREATE TABLE kvo.record (
      document bigint NOT NULL,
      revision bigint NOT NULL,
      id uuid NOT NULL,
      author text NOT NULL,
      edits bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (document, revision),
      UNIQUE (document, id)
    )
    """,
    """
    CREATE TABLE kvo.snapshot (
      document bigint NOT NULL REFERENCES kvo.document ON DELETE CASCADE,
      revision bigint NOT NULL,
      id uuid,
      state bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (document, revision)
    )
    """,
    append, compact,
    "CREATE TABLE kvo.format (version bigint NOT NULL)",
    // The last statement: a database that has the format has all tables and functions.
    "INSERT INTO kvo.format VALUES (\(format))",
  ]

  /// What makes the functions, or replaces their texts by those of this program.
  static let functions = [append, compact]

  /// Whether the functions are of this format and this role may replace them.
  static let mayReplaceFunctions = """
    SELECT coalesce((SELECT max(version) FROM kvo.format) = \(format)
      AND (SELECT bool_and(pg_has_role(p.proowner, 'USAGE')) FROM pg_proc p
        WHERE p.pronamespace = to_regnamespace('kvo'))
      AND has_schema_privilege('kvo', 'CREATE'), false)
    """

  /// The kinds of `append`'s rows.
  enum Outcome {
    static let noDocument: Int64 = 0
    static let committed: Int64 = 1
    static let behind: Int64 = 2
    static let restore: Int64 = 3
    static let schema: Int64 = 4
    static let partlyAppended: Int64 = 5
  }

  /// One round trip, and no lock unless it appends.
  ///
  /// Each statement of a volatile function sees what is committed when it begins, so those after the update
  /// see what the update has waited for. A single statement wouldn't, and would return no rows then.
  private static let append = """
    CREATE OR REPLACE FUNCTION kvo.append(
      p_name text, p_epoch uuid, p_base bigint, p_head uuid, p_schema bigint,
      p_ids uuid[], p_authors text[], p_edits bytea[], p_limit bigint, p_bytes bigint)
    RETURNS TABLE (
      o_kind bigint, o_revision bigint, o_id uuid, o_author text, o_edits bytea, o_at timestamptz)
    LANGUAGE plpgsql VOLATILE AS $function$
    DECLARE
      n CONSTANT bigint := cardinality(p_ids);
      d kvo.document%ROWTYPE;
      found_at bigint;
    BEGIN
      UPDATE kvo.document u SET revision = p_base + n, head = p_ids[n]
        WHERE u.name = p_name AND u.epoch = p_epoch AND u.revision = p_base
          AND u.head IS NOT DISTINCT FROM p_head AND u.schema <= p_schema
          AND NOT EXISTS (
            SELECT FROM kvo.record r WHERE r.document = u.id AND r.id = ANY (p_ids))
        RETURNING u.* INTO d;
      IF FOUND THEN
        INSERT INTO kvo.record (document, revision, id, author, edits)
          SELECT d.id, p_base + t.place, t.id, t.author, t.edits
          FROM unnest(p_ids, p_authors, p_edits) WITH ORDINALITY t(id, author, edits, place);
        RETURN QUERY SELECT 1::bigint, p_base + n, p_ids[n], ''::text, ''::bytea, now();
        RETURN;
      END IF;
      SELECT * INTO d FROM kvo.document u WHERE u.name = p_name;
      IF NOT FOUND THEN
        RETURN QUERY SELECT 0::bigint, 0::bigint, p_ids[n], ''::text, ''::bytea, now();
        RETURN;
      END IF;
      IF d.epoch <> p_epoch THEN
        RETURN QUERY SELECT 3::bigint, 0::bigint, p_ids[n], ''::text, ''::bytea, now();
        RETURN;
      END IF;
      -- The last one: a compaction may have taken the others.
      SELECT r.revision INTO found_at
        FROM kvo.record r WHERE r.document = d.id AND r.id = p_ids[n];
      IF FOUND THEN
        RETURN QUERY SELECT 1::bigint, found_at, p_ids[n], ''::text, ''::bytea, now();
        RETURN;
      END IF;
      -- Before the schema: where records were compacted, these may have been committed all the same.
      -- The document is read again: the compaction may have come between the last two statements.
      -- In parentheses: PL/pgSQL ends the condition at the first THEN outside of them.
      IF NOT EXISTS (
        SELECT FROM kvo.document u WHERE u.id = d.id AND p_base BETWEEN u.oldest AND u.revision
          AND p_head IS NOT DISTINCT FROM CASE p_base
            WHEN u.revision THEN u.head WHEN u.oldest THEN u.oldest_id
            ELSE (SELECT r.id FROM kvo.record r WHERE r.document = u.id AND r.revision = p_base) END)
      THEN
        RETURN QUERY SELECT 3::bigint, 0::bigint, p_ids[n], ''::text, ''::bytea, now();
        RETURN;
      END IF;
      IF d.schema > p_schema THEN
        RETURN QUERY SELECT 4::bigint, d.schema, p_ids[n], ''::text, ''::bytea, now();
        RETURN;
      END IF;
      IF p_base = d.revision THEN
        RETURN QUERY SELECT 5::bigint, 0::bigint, p_ids[n], ''::text, ''::bytea, now();
        RETURN;
      END IF;
      RETURN QUERY SELECT 2::bigint, s.revision, s.id, s.author, s.edits, s.at FROM (
        SELECT r.*, sum(octet_length(r.edits)) OVER (ORDER BY r.revision) AS bytes FROM (
          SELECT * FROM kvo.record t WHERE t.document = d.id AND t.revision > p_base
          ORDER BY t.revision LIMIT p_limit) r) s
        WHERE s.bytes <= p_bytes OR s.revision = p_base + 1 ORDER BY s.revision;
    END $function$
    """

  /// Returns NULL if there is no document.
  private static let compact = """
    CREATE OR REPLACE FUNCTION kvo.compact(p_name text, p_count bigint, p_age interval) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $function$
    DECLARE
      d kvo.document%ROWTYPE;
      kept bigint;
      young bigint;
      deleted bigint;
    BEGIN
      SELECT * INTO d FROM kvo.document u WHERE u.name = p_name FOR UPDATE;
      IF NOT FOUND THEN RETURN NULL; END IF;
      SELECT coalesce(min(s.revision), 0) INTO kept FROM (
        SELECT revision FROM kvo.snapshot WHERE document = d.id
        ORDER BY revision DESC LIMIT greatest(p_count, 1)) s;
      DELETE FROM kvo.snapshot WHERE document = d.id AND revision < kept;
      -- Up to the first young one, because a clock may have been set back in between.
      SELECT min(revision) INTO young FROM kvo.record
        WHERE document = d.id AND revision <= kept AND at > clock_timestamp() - p_age;
      kept := coalesce(young - 1, kept);
      IF kept <= d.oldest THEN RETURN 0; END IF;
      UPDATE kvo.document SET oldest = kept, oldest_id = (
          SELECT id FROM kvo.record WHERE document = d.id AND revision = kept)
        WHERE id = d.id;
      DELETE FROM kvo.record WHERE document = d.id AND revision <= kept;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
    """
}
