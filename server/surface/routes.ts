import type { App } from '../call/call.ts'
import * as agents from '../agents/agents.routes.ts'
import * as deployments from '../agents/deployments.routes.ts'
import * as installerKeys from '../agents/installer-keys.routes.ts'
import * as alerts from '../alerts/alerts.routes.ts'
import * as assignments from '../assignments/assignments.routes.ts'
import * as rights from '../assignments/rights.routes.ts'
import * as audit from '../audit/audit.routes.ts'
import * as backup from '../backup/backup.routes.ts'
import * as batches from '../batches/batches.routes.ts'
import * as links from '../credentials/links.routes.ts'
import * as personalAccessTokens from '../credentials/personal-access-tokens.routes.ts'
import * as serviceAccounts from '../credentials/service-accounts.routes.ts'
import * as devices from '../devices/devices.routes.ts'
import * as tags from '../devices/tags.routes.ts'
import * as events from '../events/events.routes.ts'
import * as webhooks from '../events/webhooks.routes.ts'
import * as files from '../files/files.routes.ts'
import * as fleet from '../fleet/fleet.routes.ts'
import * as health from '../health/health.routes.ts'
import * as history from '../history/history.routes.ts'
import * as home from '../home/home.routes.ts'
import * as account from '../identity/account.routes.ts'
import * as entry from '../identity/entry.routes.ts'
import * as identity from '../identity/identity.routes.ts'
import * as passkeys from '../identity/passkeys.routes.ts'
import * as session from '../identity/session.routes.ts'
import * as signIn from '../identity/sign-in.routes.ts'
import * as invites from '../membership/invites.routes.ts'
import * as people from '../membership/people.routes.ts'
import * as network from '../network/network.routes.ts'
import * as notifications from '../notifications/notifications.routes.ts'
import * as customers from '../organization/customers.routes.ts'
import * as groups from '../organization/groups.routes.ts'
import * as tenants from '../organization/tenants.routes.ts'
import * as preferences from '../people/preferences.routes.ts'
import * as providers from '../providers/providers.routes.ts'
import * as recordings from '../recordings/recordings.routes.ts'
import * as consent from '../remote/consent.routes.ts'
import * as remote from '../remote/remote.routes.ts'
import * as shares from '../remote/terminals/shares.routes.ts'
import * as settings from '../settings/settings.routes.ts'
import * as updates from '../updates/updates.routes.ts'
import * as version from './version.routes.ts'
import { internalAliases } from './internal-aliases.ts'

const handlers = [
  account,
  agents,
  alerts,
  assignments,
  audit,
  backup,
  batches,
  consent,
  customers,
  deployments,
  devices,
  entry,
  events,
  files,
  fleet,
  groups,
  health,
  history,
  home,
  identity,
  installerKeys,
  invites,
  links,
  network,
  notifications,
  passkeys,
  people,
  personalAccessTokens,
  preferences,
  providers,
  recordings,
  remote,
  rights,
  serviceAccounts,
  session,
  settings,
  shares,
  signIn,
  tags,
  tenants,
  updates,
  version,
  webhooks,
]

const routeGroups = [...handlers.flatMap((groups) => Object.values(groups)), ...internalAliases]

/**
 * Route groups of this server: the stock identity endpoints only with bearer tokens, agent builds only from a checkout.
 */
export const routeGroupsFor = ({ config, agentBuilds }: Pick<App, 'config' | 'agentBuilds'>) =>
  routeGroups.filter(
    (group) =>
      (group !== agents.applianceAgentBuildRoutes || agentBuilds.isPossible) &&
      (group !== identity.identityRoutes || config.appOptions.enableInteractiveBearerLogin),
  )
