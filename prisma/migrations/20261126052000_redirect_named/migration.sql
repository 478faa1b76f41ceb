-- AlterTable
ALTER TABLE "oauth_tokens" ADD COLUMN     "redirect_named" BOOLEAN NOT NULL DEFAULT true;
