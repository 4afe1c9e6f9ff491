-- CreateTable
CREATE TABLE "Comment" (
    "id" TEXT NOT NULL,
    "threadId" TEXT NOT NULL,
    "replyTo" TEXT,
    "stepId" TEXT,
    "itemId" TEXT,
    "seq" BIGINT NOT NULL,
    "authorId" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "editedAt" TIMESTAMPTZ(3),
    "deletedAt" TIMESTAMPTZ(3),
    "resolvedAt" TIMESTAMPTZ(3),
    "resolvedBy" TEXT,

    CONSTRAINT "Comment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "CommentChange" (
    "commentId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "text" TEXT,
    "version" INTEGER NOT NULL,
    "actorId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "CommentChange_pkey" PRIMARY KEY ("commentId","number")
);

-- CreateTable
CREATE TABLE "Review" (
    "id" TEXT NOT NULL,
    "threadId" TEXT NOT NULL,
    "reviewerId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "newest" BOOLEAN NOT NULL DEFAULT true,
    "action" TEXT NOT NULL,
    "verdict" TEXT,
    "reason" TEXT NOT NULL,
    "turns" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Review_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Label" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "colour" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Label_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ThreadLabel" (
    "threadId" TEXT NOT NULL,
    "labelId" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ThreadLabel_pkey" PRIMARY KEY ("threadId","labelId")
);

-- CreateTable
CREATE TABLE "ThreadLabelChange" (
    "id" BIGSERIAL NOT NULL,
    "threadId" TEXT NOT NULL,
    "labelId" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ThreadLabelChange_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Comment_threadId_seq_idx" ON "Comment"("threadId", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "Review_threadId_reviewerId_version_key" ON "Review"("threadId", "reviewerId", "version");

-- CreateIndex
CREATE INDEX "Review_reviewerId_idx" ON "Review"("reviewerId");

-- CreateIndex
CREATE INDEX "ThreadLabel_labelId_idx" ON "ThreadLabel"("labelId");

-- CreateIndex
CREATE INDEX "ThreadLabelChange_threadId_idx" ON "ThreadLabelChange"("threadId");

-- AddForeignKey
ALTER TABLE "Comment" ADD CONSTRAINT "Comment_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Comment" ADD CONSTRAINT "Comment_replyTo_fkey" FOREIGN KEY ("replyTo") REFERENCES "Comment"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CommentChange" ADD CONSTRAINT "CommentChange_commentId_fkey" FOREIGN KEY ("commentId") REFERENCES "Comment"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Review" ADD CONSTRAINT "Review_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Label" ADD CONSTRAINT "Label_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "Team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadLabel" ADD CONSTRAINT "ThreadLabel_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadLabel" ADD CONSTRAINT "ThreadLabel_labelId_fkey" FOREIGN KEY ("labelId") REFERENCES "Label"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadLabelChange" ADD CONSTRAINT "ThreadLabelChange_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES "Thread"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ThreadLabelChange" ADD CONSTRAINT "ThreadLabelChange_labelId_fkey" FOREIGN KEY ("labelId") REFERENCES "Label"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Raw objects: what the schema file cannot say.
-- One newest version of each reviewer; answers to a comment by it; a name once among the words on offer.
CREATE UNIQUE INDEX "Review_newest" ON "Review"("threadId", "reviewerId") WHERE "newest";
CREATE INDEX "Comment_answers" ON "Comment"("replyTo") WHERE "replyTo" IS NOT NULL;
CREATE UNIQUE INDEX "Label_name" ON "Label"("teamId", lower("name")) WHERE "removedAt" IS NULL;
ALTER TABLE "Comment" ADD CONSTRAINT "Comment_one_place" CHECK (("stepId" IS NULL) <> ("itemId" IS NULL));
ALTER TABLE "Comment" ADD CONSTRAINT "Comment_text_limit" CHECK (char_length("text") <= 5000);
