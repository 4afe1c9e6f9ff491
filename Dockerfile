# The server's image, for docker-compose.yml. Everything comes from the working copy: after `npm ci --ignore-scripts`
# no registry is asked. BASE is Debian 12 or a like system; `npm start` makes baton-base:bookworm where none can be pulled.
ARG BASE=debian:bookworm-slim
FROM ${BASE}

WORKDIR /opt/baton
COPY . .
RUN ln -s /opt/baton/node_modules/.bin/node /usr/local/bin/node \
 && node scripts/generate.mjs \
 && node scripts/build.mjs

ENV NODE_ENV=production BATON_DATA=/var/lib/baton BATON_HANDED_OVER=1
VOLUME /var/lib/baton
EXPOSE 3000
CMD ["node", "--disable-warning=ExperimentalWarning", "scripts/start.mjs", "--host", "0.0.0.0", "--port", "3000"]
