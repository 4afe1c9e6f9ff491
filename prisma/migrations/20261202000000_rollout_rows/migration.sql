-- CreateTable
CREATE TABLE "RolloutRow" (
    "threadId" TEXT NOT NULL,
    "idx" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL,
    "endSeq" BIGINT NOT NULL,
    "key" TEXT,
    "ended" BOOLEAN NOT NULL,
    "windowId" TEXT NOT NULL,
    "turnId" TEXT,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "durationMs" INTEGER,
    "step" INTEGER,
    "costMicros" BIGINT,
    "input" INTEGER,
    "cachedInput" INTEGER,
    "cacheWrite" INTEGER,
    "output" INTEGER,
    "reasoning" INTEGER,
    "retries" INTEGER,

    CONSTRAINT "RolloutRow_pkey" PRIMARY KEY ("threadId","idx")
);

-- CreateTable
CREATE TABLE "RolloutMark" (
    "threadId" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "rows" INTEGER NOT NULL,
    "steps" INTEGER NOT NULL,
    "events" JSON NOT NULL,

    CONSTRAINT "RolloutMark_pkey" PRIMARY KEY ("threadId")
);

-- CreateIndex
CREATE UNIQUE INDEX "RolloutRow_threadId_key_key" ON "RolloutRow"("threadId", "key");

-- AddForeignKey
ALTER TABLE "RolloutRow" ADD CONSTRAINT "RolloutRow_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "RolloutMark" ADD CONSTRAINT "RolloutMark_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;
