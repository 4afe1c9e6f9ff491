-- AlterTable
ALTER TABLE "RolloutRow" ADD COLUMN     "beganAt" BIGINT;

-- Raw objects: what the schema file cannot say.
-- What failed is counted in lists of many rollouts.
CREATE INDEX "RolloutRow_failed" ON "RolloutRow"("threadId", "idx") WHERE "status" IN ('failed', 'refused', 'interrupted');
