-- CreateTable
CREATE TABLE "banner_drafts" (
    "shop" TEXT NOT NULL,
    "design" JSONB NOT NULL,
    "revision" INTEGER NOT NULL,
    "field_revisions" JSONB NOT NULL DEFAULT '{}',
    "updated_by" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "banner_drafts_pkey" PRIMARY KEY ("shop")
);

-- CreateTable
CREATE TABLE "banner_versions" (
    "shop" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "design" JSONB NOT NULL,
    "restored_from" INTEGER,
    "published_by" TEXT,
    "published_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "banner_versions_pkey" PRIMARY KEY ("shop","version")
);

-- CreateTable
CREATE TABLE "banner_days" (
    "shop" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "version" INTEGER NOT NULL,
    "dimension" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "shown" INTEGER NOT NULL DEFAULT 0,
    "accepted" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "customised" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "banner_days_pkey" PRIMARY KEY ("shop","day","dimension","version","value")
);

-- CreateIndex
CREATE INDEX "banner_days_day_idx" ON "banner_days" USING BRIN ("day");
