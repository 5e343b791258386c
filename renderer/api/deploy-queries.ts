import { api } from './http.ts'
import { query } from './query-client.ts'

/** Installer keys, and the agent that they install. */
export const deployQueries = {
  deployment: query(['deployment'], (signal) => api.status.deployment({}, signal)),
  agentBuild: query(['agent-build'], async (signal) => (await api.agentBuilds.get({}, signal)).build),
  agentReleases: query(['agent-releases'], async (signal) => (await api.agentReleases.list({}, signal)).items),
  installerKeys: query(['installer-keys'], async (signal) => (await api.installerKeys.list({}, signal)).items),
  installerKeyUsages: (keyId: string) =>
    query(
      ['installer-key-usages', keyId],
      async (signal) => (await api.installerKeys.usages({ params: { keyId } }, signal)).items,
    ),
  endedInstallerKeys: query(
    ['installer-keys', 'ended'],
    async (signal) => (await api.endedInstallerKeys.ended({}, signal)).items,
  ),
  /** Keys whose creator ended, by id. */
  stoppedInstallerKeys: query(
    ['installer-keys', 'stopped'],
    async (signal) => (await api.endedInstallerKeys.stopped({}, signal)).items,
  ),
  /** Customers, groups and tags that installer keys give to new devices. */
  placements: query(['placements'], async (signal) => (await api.deployments.placements({}, signal)).items),
}
