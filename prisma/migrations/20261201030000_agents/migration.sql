-- AlterTable
ALTER TABLE "Thread" ADD COLUMN     "agentPath" TEXT,
ADD COLUMN     "parentThreadId" TEXT,
ADD COLUMN     "rootThreadId" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "Thread_rootThreadId_agentPath_key" ON "Thread"("rootThreadId", "agentPath");

-- AddForeignKey
ALTER TABLE "Thread" ADD CONSTRAINT "Thread_rootThreadId_fkey" FOREIGN KEY ("rootThreadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;
