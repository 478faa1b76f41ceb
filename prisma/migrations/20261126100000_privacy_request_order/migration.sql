-- The merchant's list of privacy requests reads a page in its order instead of sorting all of a store's requests. By hand:
-- Prisma cannot say it. The expression is POSITION (request-list.ts).
CREATE INDEX "privacy_requests_position_idx" ON "privacy_requests" ("shop", ((CASE WHEN "state" NOT IN ('done', 'retained')
  THEN floor(extract(epoch FROM "due_by" AT TIME ZONE 'UTC'))::bigint * 100000 + "id" % 100000
  ELSE 900000000000000 - "id" END)::float8));
