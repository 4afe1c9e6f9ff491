-- CreateExtension
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- CreateTable
CREATE TABLE "Note" (
    "rootThreadId" TEXT NOT NULL,
    "agentPath" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "newest" BOOLEAN NOT NULL DEFAULT true,
    "hash" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "actorId" TEXT NOT NULL,
    "writer" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Note_pkey" PRIMARY KEY ("rootThreadId","agentPath","path","version")
);

-- CreateTable
CREATE TABLE "SearchDoc" (
    "threadId" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "part" INTEGER NOT NULL,
    "itemId" TEXT NOT NULL,
    "windowId" TEXT NOT NULL,
    "agentPath" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "tool" TEXT,
    "status" TEXT,
    "actorId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "offset" BIGINT NOT NULL,
    "text" TEXT NOT NULL,
    "tsv" tsvector GENERATED ALWAYS AS (to_tsvector('simple', "text")) STORED,

    CONSTRAINT "SearchDoc_pkey" PRIMARY KEY ("threadId","seq","part")
);

-- CreateTable
CREATE TABLE "SearchMark" (
    "threadId" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,

    CONSTRAINT "SearchMark_pkey" PRIMARY KEY ("threadId")
);

-- CreateIndex
CREATE INDEX "SearchDoc_at_threadId_seq_part_idx" ON "SearchDoc"("at", "threadId", "seq", "part");

-- AddForeignKey
ALTER TABLE "Note" ADD CONSTRAINT "Note_rootThreadId_fkey" FOREIGN KEY ("rootThreadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SearchDoc" ADD CONSTRAINT "SearchDoc_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SearchMark" ADD CONSTRAINT "SearchMark_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Raw objects: what the schema file cannot say.
-- One newest version per file.
CREATE UNIQUE INDEX "Note_newest" ON "Note"("rootThreadId", "agentPath", "path" COLLATE "C") WHERE "newest";
ALTER TABLE "Note" ADD CONSTRAINT "Note_version_positive" CHECK ("version" >= 1);
-- Words, and literals of three characters or more. A short list of what is not merged yet keeps searches even.
CREATE INDEX "SearchDoc_words" ON "SearchDoc" USING gin ("tsv") WITH (gin_pending_list_limit = 1024);
CREATE INDEX "SearchDoc_literals" ON "SearchDoc" USING gin ("text" gin_trgm_ops) WITH (gin_pending_list_limit = 1024);
