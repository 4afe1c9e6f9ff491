-- AlterTable
ALTER TABLE "User" ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'person';

-- AlterTable
ALTER TABLE "Invite" ADD COLUMN     "createdBy" TEXT,
ADD COLUMN     "email" TEXT,
ADD COLUMN     "revokedAt" TIMESTAMPTZ(3),
ADD COLUMN     "revokedBy" TEXT;

-- AlterTable
ALTER TABLE "Audit" ADD COLUMN     "viaId" TEXT,
ADD COLUMN     "viaType" TEXT;

-- AlterTable
ALTER TABLE "Thread" ADD COLUMN     "teamRole" TEXT;

-- CreateTable
CREATE TABLE "ApiToken" (
    "id" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "scopes" TEXT[],
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdBy" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "revokedBy" TEXT,

    CONSTRAINT "ApiToken_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ThreadMember" (
    "threadId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "addedBy" TEXT NOT NULL,
    "addedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ThreadMember_pkey" PRIMARY KEY ("threadId","userId")
);

-- DropIndex
DROP INDEX "Audit_targetType_targetId_idx";

-- CreateIndex
CREATE UNIQUE INDEX "ApiToken_tokenHash_key" ON "ApiToken"("tokenHash");

-- CreateIndex
CREATE INDEX "ApiToken_userId_idx" ON "ApiToken"("userId");

-- CreateIndex
CREATE INDEX "ThreadMember_userId_idx" ON "ThreadMember"("userId");

-- CreateIndex
CREATE INDEX "Invite_teamId_createdAt_idx" ON "Invite"("teamId", "createdAt");

-- CreateIndex
CREATE INDEX "Audit_targetType_targetId_id_idx" ON "Audit"("targetType", "targetId", "id");

-- CreateIndex
CREATE INDEX "Audit_actorId_id_idx" ON "Audit"("actorId", "id");

-- CreateIndex
CREATE INDEX "Audit_action_id_idx" ON "Audit"("action", "id");

-- CreateIndex
CREATE INDEX "Audit_at_idx" ON "Audit"("at");

-- CreateIndex
CREATE INDEX "Thread_ownerId_idx" ON "Thread"("ownerId");

-- CreateIndex
CREATE INDEX "Thread_teamRole_idx" ON "Thread"("teamRole");

-- AddForeignKey
ALTER TABLE "ApiToken" ADD CONSTRAINT "ApiToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadMember" ADD CONSTRAINT "ThreadMember_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadMember" ADD CONSTRAINT "ThreadMember_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "User" ADD CONSTRAINT "User_kind_known" CHECK ("kind" IN ('person', 'service'));
ALTER TABLE "Thread" ADD CONSTRAINT "Thread_team_role_known" CHECK ("teamRole" IN ('viewer', 'commenter', 'driver'));
ALTER TABLE "ThreadMember" ADD CONSTRAINT "ThreadMember_role_known" CHECK ("role" IN ('viewer', 'commenter', 'driver'));
