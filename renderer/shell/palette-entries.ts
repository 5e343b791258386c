import {
  IconAdjustments,
  IconBellCog,
  IconBoxMultiple,
  IconBuilding,
  IconBuildingStore,
  IconHandStop,
  IconRobot,
  IconShieldPlus,
  IconShieldQuestion,
  IconTag,
  IconUserPlus,
  IconUsersPlus,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react'
import type { PermissionName } from '../../shared/access.ts'
import * as t from '../texts.ts'

export interface AdministrationEntry {
  path: string
  label: string
  /** Page that the entry opens. */
  page: string
  icon: Icon
  permission: PermissionName
}

const settingsOf = (
  pathOf: (id: string) => string,
  page: string,
  permission: PermissionName,
  sections: Record<string, string>,
) =>
  Object.entries(sections).map(([id, label]): AdministrationEntry => ({
    path: pathOf(id),
    label,
    page,
    icon: IconAdjustments,
    permission,
  }))

/** Actions of the administration pages; each opens the dialog of its page. */
export const administrationActions: readonly AdministrationEntry[] = [
  {
    path: '/people?new=invite',
    label: t.people.inviteTitle,
    page: t.people.title,
    icon: IconUserPlus,
    permission: 'tenant.users.write',
  },
  {
    path: '/people?new=create',
    label: t.people.createTitle,
    page: t.people.title,
    icon: IconUserPlus,
    permission: 'tenant.users.write',
  },
  {
    path: '/user-groups?new=group',
    label: t.userGroups.createTitle,
    page: t.userGroups.title,
    icon: IconUsersPlus,
    permission: 'tenant.user-groups.write',
  },
  {
    path: '/rights?give=Technician',
    label: t.rights.give,
    page: t.rights.title,
    icon: IconShieldPlus,
    permission: 'tenant.permissions.write',
  },
  {
    path: '/rights/check',
    label: t.rights.checkIntro,
    page: t.rights.title,
    icon: IconShieldQuestion,
    permission: 'tenant.permissions.read',
  },
  {
    path: '/service-accounts?new=account',
    label: t.serviceAccounts.create,
    page: t.serviceAccounts.title,
    icon: IconRobot,
    permission: 'service-account.write',
  },
  {
    path: '/organize/customers#new-customer',
    label: t.organize.customers.create,
    page: t.organize.title,
    icon: IconBuildingStore,
    permission: 'tenant.customers.write',
  },
  {
    path: '/organize/groups#new-group',
    label: t.organize.groups.create,
    page: t.organize.title,
    icon: IconBoxMultiple,
    permission: 'tenant.device-groups.write',
  },
  {
    path: '/organize/tags#new-tag',
    label: t.organize.tags.create,
    page: t.organize.title,
    icon: IconTag,
    permission: 'tenant.tags.write',
  },
  {
    path: '/alerts/rules?new=rule',
    label: t.alertRules.create,
    page: t.alerts.title,
    icon: IconBellCog,
    permission: 'tenant.settings.write',
  },
  {
    path: '/settings/consent?new=policy',
    label: t.consent.createTitle,
    page: t.settings.title,
    icon: IconHandStop,
    permission: 'tenant.settings.write',
  },
  {
    path: '/settings/webhooks?new=webhook',
    label: t.webhooks.create,
    page: t.settings.title,
    icon: IconWebhook,
    permission: 'tenant.settings.write',
  },
  {
    path: '/tenants',
    label: t.tenants.title,
    page: t.server.title,
    icon: IconBuilding,
    permission: 'server.tenants.read',
  },
]

/** Parts and sections of settings; the fragment focuses the first field of a section. */
export const settingsEntries: readonly AdministrationEntry[] = [
  ...settingsOf((id) => `/server/${id}#${id}`, t.server.title, 'server.settings.write', {
    updates: t.updates.settings,
    limits: t.server.limits,
    mail: t.server.mail,
    notice: t.server.notice,
    people: t.server.people,
    dashboard: t.server.dashboard,
    environment: t.server.inForce,
  }),
  ...settingsOf((id) => `/server/${id}`, t.server.title, 'server.telemetry.read', { log: t.server.logLines }),
  ...settingsOf((id) => `/settings#${id}`, t.settings.title, 'tenant.settings.read', {
    'at-device': t.settings.atDevice,
    install: t.settings.install,
  }),
  ...settingsOf((id) => `/settings/${id}`, t.settings.title, 'tenant.settings.read', { consent: t.consent.title }),
  ...settingsOf((id) => `/settings/${id}`, t.settings.title, 'tenant.settings.write', {
    recording: t.recordingPolicies.title,
    webhooks: t.webhooks.title,
  }),
  ...settingsOf((id) => `/alerts/${id}`, t.alerts.title, 'tenant.settings.read', {
    rules: t.alertPages.tab.rules,
    'on-call': t.alertPages.tab['on-call'],
  }),
]
