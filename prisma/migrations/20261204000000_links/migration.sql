-- CreateTable
CREATE TABLE "PublicLink" (
    "id" TEXT NOT NULL,
    "threadId" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "revokedBy" TEXT,
    "live" BOOLEAN NOT NULL,
    "title" TEXT NOT NULL,
    "fromSeq" BIGINT NOT NULL,
    "toSeq" BIGINT,
    "fromStep" INTEGER NOT NULL,
    "toStep" INTEGER,
    "shows" TEXT[],
    "redaction" TEXT NOT NULL,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "openedAt" TIMESTAMPTZ(3),

    CONSTRAINT "PublicLink_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "PublicLinkPage" (
    "linkId" TEXT NOT NULL,
    "idx" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "PublicLinkPage_pkey" PRIMARY KEY ("linkId","idx")
);

-- CreateTable
CREATE TABLE "PublicLinkOpening" (
    "id" BIGSERIAL NOT NULL,
    "linkId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "userId" TEXT,
    "agent" TEXT NOT NULL,

    CONSTRAINT "PublicLinkOpening_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "PublicLink_tokenHash_key" ON "PublicLink"("tokenHash");

-- CreateIndex
CREATE INDEX "PublicLink_threadId_createdAt_idx" ON "PublicLink"("threadId", "createdAt");

-- CreateIndex
CREATE INDEX "PublicLink_createdBy_createdAt_idx" ON "PublicLink"("createdBy", "createdAt");

-- CreateIndex
CREATE INDEX "PublicLink_createdAt_idx" ON "PublicLink"("createdAt");

-- CreateIndex
CREATE INDEX "PublicLinkOpening_linkId_id_idx" ON "PublicLinkOpening"("linkId", "id");

-- AddForeignKey
ALTER TABLE "PublicLink" ADD CONSTRAINT "PublicLink_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PublicLink" ADD CONSTRAINT "PublicLink_createdBy_fkey" FOREIGN KEY ("createdBy") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PublicLinkPage" ADD CONSTRAINT "PublicLinkPage_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "PublicLink"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PublicLinkOpening" ADD CONSTRAINT "PublicLinkOpening_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "PublicLink"("id") ON DELETE CASCADE ON UPDATE CASCADE;
