-- AlterTable
ALTER TABLE "Thread" ADD COLUMN     "imported" JSON,
ADD COLUMN     "importing" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "Import" (
    "id" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "worker" TEXT NOT NULL,
    "fileName" TEXT NOT NULL,
    "bytes" BIGINT,
    "readBytes" BIGINT NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL,
    "threadIds" TEXT[],
    "report" JSON,
    "error" JSON,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Import_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Import_ownerId_createdAt_idx" ON "Import"("ownerId", "createdAt");

-- CreateIndex
CREATE INDEX "Import_status_idx" ON "Import"("status");
