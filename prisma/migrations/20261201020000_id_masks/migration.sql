-- AlterTable
ALTER TABLE "Thread" ADD COLUMN     "idMask" TEXT;
