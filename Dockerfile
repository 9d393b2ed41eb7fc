# Build: what the service runs on. The compilers of the service and of the console are left behind.
# Name it by digest to build the same image again (docs/operations.md).
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY src src
COPY console console
COPY bin bin
RUN npm ci --omit=dev \
  && rm -r node_modules/typescript node_modules/@typescript node_modules/@botledger \
    node_modules/vite node_modules/rolldown node_modules/@rolldown node_modules/lightningcss*

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/bin bin
# The guide, served at /docs/guide.
COPY README.md ./
COPY docs docs
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node is the container's first process and handles the signals itself: no shell, no npm between.
CMD ["node", "dist/app/main.js"]
