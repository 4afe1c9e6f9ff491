-- The index is made anew from the logs, after the next start: it gets whole texts, and the owner of each document.
DELETE FROM "SearchMark";
TRUNCATE "SearchDoc";

-- DropForeignKey
ALTER TABLE "SearchDoc" DROP CONSTRAINT "SearchDoc_threadId_fkey";

-- DropIndex
DROP INDEX "SearchDoc_at_threadId_seq_part_idx";

-- AlterTable
ALTER TABLE "SearchDoc" ADD COLUMN     "ownerId" TEXT NOT NULL;

-- CreateIndex
CREATE INDEX "SearchDoc_ownerId_at_threadId_seq_part_idx" ON "SearchDoc"("ownerId", "at", "threadId", "seq", "part");

-- CreateIndex
CREATE UNIQUE INDEX "Thread_id_ownerId_key" ON "Thread"("id", "ownerId");

-- AddForeignKey
ALTER TABLE "SearchDoc" ADD CONSTRAINT "SearchDoc_threadId_ownerId_fkey" FOREIGN KEY ("threadId", "ownerId") REFERENCES "Thread"("id", "ownerId") ON DELETE CASCADE ON UPDATE CASCADE;
