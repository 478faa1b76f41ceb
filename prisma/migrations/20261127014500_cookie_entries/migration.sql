-- CreateTable
CREATE TABLE "cookie_entries" (
    "shop" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_hidden" BOOLEAN NOT NULL DEFAULT false,
    "purpose" TEXT,
    "use" TEXT,
    "duration" TEXT,

    CONSTRAINT "cookie_entries_pkey" PRIMARY KEY ("shop","provider","name")
);
