-- CreateTable
CREATE TABLE "customer_days" (
    "shop" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "added" INTEGER NOT NULL DEFAULT 0,
    "sign_ups" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "customer_days_pkey" PRIMARY KEY ("shop","day")
);
