/** The sealed key that signs agents, in one row; and every signed agent, to recognize older agents. */
export const agentReleases = {
  name: '0014-agent-releases',
  up: [
    `CREATE TABLE release_key (
      id TEXT PRIMARY KEY CHECK (id = 'server'),
      key TEXT NOT NULL,
      named TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE agent_releases (
      build INTEGER PRIMARY KEY NOT NULL,
      runtime TEXT NOT NULL,
      version TEXT NOT NULL,
      bundleSha256 TEXT NOT NULL,
      tarSha256 TEXT,
      installerSha256 TEXT NOT NULL
    ) STRICT`,
  ],
}
