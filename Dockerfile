# A worker: everything it knows comes from its environment (domain/settings.ts).
FROM node:22-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json tsconfig.page.json ./
COPY domain domain
COPY workflows workflows
COPY activities activities
COPY storage storage
COPY temporal temporal
COPY plugins plugins
COPY worker worker
COPY client client
COPY simulator simulator
COPY bin bin
RUN npm run build && node bin/shrink-package.js && npm prune --omit=dev
USER node
ENV TURNWISE_PROBES=127.0.0.1:8080
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s --retries=2 CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/turnwise.js", "worker"]
