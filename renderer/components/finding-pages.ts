import * as t from '../texts.ts'

const network = { to: '/network', label: t.health.pages.network }

/** Pages on which findings about the server are mended, by the id of the check. */
export const findingPages: Readonly<Record<string, { to: string; label: string }>> = {
  agents: { to: '/devices?q=is%3Aoutdated', label: t.health.pages.agents },
  backup: { to: '/backup', label: t.health.pages.backup },
  update: { to: '/server/updates', label: t.health.pages.update },
  certificate: network,
  ports: network,
  mail: { to: '/server/mail', label: t.health.pages.server },
  decommission: { to: '/server', label: t.health.pages.server },
  'blocked-keys': { to: '/service-accounts', label: t.health.pages.accounts },
}
