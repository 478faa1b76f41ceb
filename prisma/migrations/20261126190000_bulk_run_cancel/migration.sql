-- AlterTable
ALTER TABLE "tag_runs" ADD COLUMN     "is_cancel_requested" BOOLEAN NOT NULL DEFAULT false;

-- By hand from here: what Prisma cannot say.

ALTER TABLE "tag_runs" DROP CONSTRAINT "tag_runs_state_check";
ALTER TABLE "tag_runs" ADD CONSTRAINT "tag_runs_state_check" CHECK ("state" IN ('waiting', 'running', 'done', 'failed', 'cancelled')) NOT VALID;
ALTER TABLE "tag_runs" VALIDATE CONSTRAINT "tag_runs_state_check";
