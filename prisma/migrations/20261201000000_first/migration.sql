-- CreateTable
CREATE TABLE "User" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "emailVerified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "User_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Session" (
    "id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "ipAddress" TEXT,
    "userAgent" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Account" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "providerId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "accessToken" TEXT,
    "refreshToken" TEXT,
    "idToken" TEXT,
    "accessTokenExpiresAt" TIMESTAMPTZ(3),
    "refreshTokenExpiresAt" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Verification" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Team" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Member" (
    "userId" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Member_pkey" PRIMARY KEY ("userId")
);

-- CreateTable
CREATE TABLE "Invite" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3),
    "usedBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Invite_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Audit" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actorId" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "targetType" TEXT NOT NULL,
    "targetId" TEXT NOT NULL,
    "details" JSON NOT NULL DEFAULT '{}',

    CONSTRAINT "Audit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Provider" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "baseUrl" TEXT,
    "keyCipher" BYTEA,
    "source" TEXT NOT NULL,
    "models" JSON NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Provider_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Project" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "instructions" TEXT NOT NULL DEFAULT '',
    "defaults" JSON NOT NULL DEFAULT '{}',
    "uploadHash" TEXT,
    "uploadFiles" INTEGER,
    "uploadBytes" BIGINT,
    "uploadedAt" TIMESTAMPTZ(3),
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Thread" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "pinned" BOOLEAN NOT NULL DEFAULT false,
    "archived" BOOLEAN NOT NULL DEFAULT false,
    "fromThreadId" TEXT,
    "seed" JSON,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Thread_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ThreadProjection" (
    "threadId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "sandbox" TEXT NOT NULL,
    "head" BIGINT NOT NULL,
    "lastLine" TEXT NOT NULL,
    "state" JSON NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ThreadProjection_pkey" PRIMARY KEY ("threadId")
);

-- CreateTable
CREATE TABLE "Owner" (
    "id" TEXT NOT NULL,
    "installId" TEXT NOT NULL,
    "worker" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Owner_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ThreadLease" (
    "threadId" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,

    CONSTRAINT "ThreadLease_pkey" PRIMARY KEY ("threadId")
);

-- CreateTable
CREATE TABLE "Event" (
    "threadId" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "windowId" TEXT NOT NULL,
    "turnId" TEXT,
    "stepId" TEXT,
    "itemId" TEXT,
    "actorId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "body" JSON NOT NULL,

    CONSTRAINT "Event_pkey" PRIMARY KEY ("threadId","seq")
);

-- CreateTable
CREATE TABLE "Op" (
    "threadId" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "body" JSON NOT NULL,
    "bodyHash" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "error" JSON,
    "receipt" JSON,
    "position" DOUBLE PRECISION,
    "acceptedAt" TIMESTAMPTZ(3) NOT NULL,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Op_pkey" PRIMARY KEY ("threadId","clientId")
);

-- CreateTable
CREATE TABLE "Window" (
    "id" TEXT NOT NULL,
    "threadId" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "frozen" JSON NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Window_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WindowBlock" (
    "windowId" TEXT NOT NULL,
    "idx" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "wireHash" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "itemId" TEXT,
    "callId" TEXT,
    "tokens" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "wire" BYTEA,

    CONSTRAINT "WindowBlock_pkey" PRIMARY KEY ("windowId","idx")
);

-- CreateTable
CREATE TABLE "Step" (
    "id" TEXT NOT NULL,
    "windowId" TEXT NOT NULL,
    "turnId" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "blockCount" INTEGER NOT NULL,
    "envelopeHash" TEXT NOT NULL,
    "cacheMarks" INTEGER[],
    "bodySha256" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT,
    "usage" JSON,
    "costMicros" BIGINT,
    "firstTokenMs" INTEGER,
    "totalMs" INTEGER,
    "retries" INTEGER,
    "providerRequestId" TEXT,
    "stopReason" TEXT,
    "rawResponseHash" TEXT,

    CONSTRAINT "Step_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ItemDraft" (
    "threadId" TEXT NOT NULL,
    "itemId" TEXT NOT NULL,
    "part" TEXT NOT NULL,
    "offset" BIGINT NOT NULL,
    "text" TEXT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ItemDraft_pkey" PRIMARY KEY ("threadId","itemId","part")
);

-- CreateTable
CREATE TABLE "Blob" (
    "hash" TEXT NOT NULL,
    "codec" TEXT NOT NULL DEFAULT 'raw',
    "size" BIGINT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Blob_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "BlobChunk" (
    "hash" TEXT NOT NULL,
    "idx" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "BlobChunk_pkey" PRIMARY KEY ("hash","idx")
);

-- CreateTable
CREATE TABLE "BlobRef" (
    "threadId" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "BlobRef_pkey" PRIMARY KEY ("threadId","hash")
);

-- CreateTable
CREATE TABLE "Sandbox" (
    "id" TEXT NOT NULL,
    "installId" TEXT NOT NULL,
    "threadId" TEXT,
    "containerId" TEXT,
    "volume" TEXT NOT NULL,
    "image" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "uid" INTEGER NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3) NOT NULL,
    "data" JSON NOT NULL DEFAULT '{}',

    CONSTRAINT "Sandbox_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");

-- CreateIndex
CREATE UNIQUE INDEX "Session_token_key" ON "Session"("token");

-- CreateIndex
CREATE INDEX "Session_userId_idx" ON "Session"("userId");

-- CreateIndex
CREATE INDEX "Account_userId_idx" ON "Account"("userId");

-- CreateIndex
CREATE INDEX "Verification_identifier_idx" ON "Verification"("identifier");

-- CreateIndex
CREATE INDEX "Member_teamId_idx" ON "Member"("teamId");

-- CreateIndex
CREATE UNIQUE INDEX "Invite_tokenHash_key" ON "Invite"("tokenHash");

-- CreateIndex
CREATE INDEX "Audit_targetType_targetId_idx" ON "Audit"("targetType", "targetId");

-- CreateIndex
CREATE INDEX "Thread_projectId_idx" ON "Thread"("projectId");

-- CreateIndex
CREATE INDEX "ThreadProjection_updatedAt_idx" ON "ThreadProjection"("updatedAt");

-- CreateIndex
CREATE INDEX "ThreadProjection_status_idx" ON "ThreadProjection"("status");

-- CreateIndex
CREATE INDEX "Owner_installId_worker_idx" ON "Owner"("installId", "worker");

-- CreateIndex
CREATE INDEX "ThreadLease_ownerId_idx" ON "ThreadLease"("ownerId");

-- CreateIndex
CREATE INDEX "Event_threadId_itemId_idx" ON "Event"("threadId", "itemId");

-- CreateIndex
CREATE INDEX "Event_threadId_type_idx" ON "Event"("threadId", "type");

-- CreateIndex
CREATE UNIQUE INDEX "Window_threadId_index_key" ON "Window"("threadId", "index");

-- CreateIndex
CREATE INDEX "Step_windowId_index_idx" ON "Step"("windowId", "index");

-- CreateIndex
CREATE INDEX "BlobRef_hash_idx" ON "BlobRef"("hash");

-- CreateIndex
CREATE INDEX "Sandbox_installId_idx" ON "Sandbox"("installId");

-- CreateIndex
CREATE INDEX "Sandbox_threadId_idx" ON "Sandbox"("threadId");

-- AddForeignKey
ALTER TABLE "Session" ADD CONSTRAINT "Session_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Account" ADD CONSTRAINT "Account_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Member" ADD CONSTRAINT "Member_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Member" ADD CONSTRAINT "Member_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "Team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Invite" ADD CONSTRAINT "Invite_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "Team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Provider" ADD CONSTRAINT "Provider_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "Team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Project" ADD CONSTRAINT "Project_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "Team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Thread" ADD CONSTRAINT "Thread_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "Project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadProjection" ADD CONSTRAINT "ThreadProjection_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadLease" ADD CONSTRAINT "ThreadLease_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadLease" ADD CONSTRAINT "ThreadLease_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES "Owner"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Event" ADD CONSTRAINT "Event_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Op" ADD CONSTRAINT "Op_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Window" ADD CONSTRAINT "Window_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WindowBlock" ADD CONSTRAINT "WindowBlock_windowId_fkey" FOREIGN KEY ("windowId") REFERENCES "Window"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Step" ADD CONSTRAINT "Step_windowId_fkey" FOREIGN KEY ("windowId") REFERENCES "Window"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ItemDraft" ADD CONSTRAINT "ItemDraft_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "BlobChunk" ADD CONSTRAINT "BlobChunk_hash_fkey" FOREIGN KEY ("hash") REFERENCES "Blob"("hash") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "BlobRef" ADD CONSTRAINT "BlobRef_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Raw objects: what the schema file cannot say.
-- One living sandbox per thread, and one living sandbox per user id of an installation.
CREATE UNIQUE INDEX "Sandbox_living_thread" ON "Sandbox"("threadId") WHERE "status" <> 'lost';
CREATE UNIQUE INDEX "Sandbox_living_uid" ON "Sandbox"("installId", "uid") WHERE "status" <> 'lost';
-- One provider per source that the server itself makes.
CREATE UNIQUE INDEX "Provider_managed" ON "Provider"("teamId", "source", "kind") WHERE "source" <> 'settings';
-- The inbox of a thread: what is not decided, and the queue.
CREATE INDEX "Op_open" ON "Op"("threadId", "acceptedAt") WHERE "status" IN ('accepted', 'queued');
-- Events are numbered from 1; texts of a projection are short.
ALTER TABLE "Event" ADD CONSTRAINT "Event_seq_positive" CHECK ("seq" >= 1);
ALTER TABLE "ThreadLease" ADD CONSTRAINT "ThreadLease_fence_positive" CHECK ("fence" >= 1);
ALTER TABLE "Op" ADD CONSTRAINT "Op_status_known" CHECK ("status" IN ('accepted', 'queued', 'applied', 'cancelled', 'refused'));
ALTER TABLE "Member" ADD CONSTRAINT "Member_role_known" CHECK ("role" IN ('owner', 'admin', 'member', 'viewer'));
