import type { PermissionName } from '../../shared/access.ts'
import * as t from '../texts.ts'

interface FindingPage {
  to: string
  label: string
  /** Each of these opens the page; undefined if whoever reads the finding may open it. */
  permissions?: readonly PermissionName[]
}

const settings: readonly PermissionName[] = ['server.settings.write']
const network = { to: '/network', label: t.health.pages.network, permissions: settings }

const pages: Readonly<Record<string, FindingPage>> = {
  agents: { to: '/devices?q=is%3Aoutdated', label: t.health.pages.agents },
  backup: { to: '/backup', label: t.health.pages.backup },
  update: { to: '/server/updates', label: t.health.pages.update },
  certificate: network,
  ports: network,
  mail: { to: '/server/mail', label: t.health.pages.server, permissions: settings },
  decommission: { to: '/server', label: t.health.pages.server },
  'blocked-keys': {
    to: '/service-accounts',
    label: t.health.pages.accounts,
    permissions: ['service-account.read', 'server.service-accounts.read'],
  },
}

/** Page on which a finding about the server is mended, by the id of the check; undefined if the person may not open it. */
export function findingPage(id: string, can: (permission: PermissionName) => boolean): FindingPage | undefined {
  const page = pages[id]
  return page?.permissions?.some(can) === false ? undefined : page
}
