-- The index is made anew from the logs, after the next start.
DELETE FROM "SearchMark";
TRUNCATE "SearchDoc";

-- Slots: stretches of a thread's log and of its owner's time, of several lengths, as terms of the inverted indexes. A
-- search names the newest ones, so that what it costs depends on what it finds, not on how much there is. The first
-- character is one that no word has.
CREATE FUNCTION search_slots("ownerId" TEXT, "threadId" TEXT, "at" TIMESTAMPTZ, "seq" BIGINT) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY[
    chr(1) || 't11' || left(md5("threadId"), 8) || '.' || ("seq" >> 11),
    chr(1) || 't15' || left(md5("threadId"), 8) || '.' || ("seq" >> 15),
    chr(1) || 't19' || left(md5("threadId"), 8) || '.' || ("seq" >> 19),
    chr(1) || 'o12' || left(md5("ownerId"), 8) || '.' || (floor(extract(epoch FROM ("at" - timestamptz '1970-01-01 00:00:00+00')))::int8 >> 12),
    chr(1) || 'o16' || left(md5("ownerId"), 8) || '.' || (floor(extract(epoch FROM ("at" - timestamptz '1970-01-01 00:00:00+00')))::int8 >> 16),
    chr(1) || 'o20' || left(md5("ownerId"), 8) || '.' || (floor(extract(epoch FROM ("at" - timestamptz '1970-01-01 00:00:00+00')))::int8 >> 20),
    chr(1) || 'o24' || left(md5("ownerId"), 8) || '.' || (floor(extract(epoch FROM ("at" - timestamptz '1970-01-01 00:00:00+00')))::int8 >> 24)
];

ALTER TABLE "SearchDoc" ALTER COLUMN "tsv" SET EXPRESSION AS
  (to_tsvector('simple', "text") || array_to_tsvector(search_slots("ownerId", "threadId", "at", "seq")));

DROP INDEX "SearchDoc_literals";
CREATE INDEX "SearchDoc_literals" ON "SearchDoc"
  USING gin (search_slots("ownerId", "threadId", "at", "seq"), "text" gin_trgm_ops) WITH (gin_pending_list_limit = 1024);
