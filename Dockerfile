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
CMD ["node", "bin/turnwise.js", "worker"]
