# Production image: the pinned Node, DATABASE_URL required, no embedded database, no development tools.
FROM node:24-bookworm-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:24-bookworm-slim
WORKDIR /service
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force
COPY --from=build /service/build ./build
COPY --from=build /service/app ./app
COPY prisma/migrations ./prisma/migrations
COPY scripts/migrate.ts ./scripts/migrate.ts
USER node
EXPOSE 3000
# Liveness alone: a container is not restarted because its database is away. Balancers ask /health/ready.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "app/server.ts"]
