import type { PermissionName } from './access.ts'
import { lockout } from './dtos/user.ts'
import { permissionTexts } from './permission-texts.ts'

/** Words for values that programs use, by the name of the detail. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  session: {
    'remote-control': 'remote control',
    vnc: 'VNC',
    logs: 'log files',
    preview: 'preview of the desktop',
  },
  reason: {
    Failed: 'Wrong password, code or passkey.',
    LockedOut: `Locked for ${lockout.minutes} minutes after ${lockout.failures} wrong answers.`,
    NotAllowed: 'The address was not confirmed yet.',
    RequiresPasswordChange: 'A new password had to be chosen first.',
    RequiresTwoFactor: 'The code of the second factor was missing.',
    Disabled: 'The account is disabled.',
    NotLinked: 'The account of the provider is linked to nobody here.',
  },
  effect: { Allow: 'allowed', Deny: 'denied' },
  scope: {
    Server: 'the whole server',
    Tenant: 'the organization',
    Customer: 'a customer',
    DeviceGroup: 'a device group',
    Device: 'a device',
  },
  when: { now: 'at once', hour: 'in an hour', tonight: 'tonight' },
  person: {
    'not-asked': 'is not asked',
    told: 'has 2 minutes to save',
    hour: 'may delay by an hour',
    tonight: 'may delay until tonight',
    'not-today': 'may delay or decline',
  },
  batch: {
    'run-command': 'a command',
    restart: 'a restart',
    'shut-down': 'a shutdown',
    'update-agent': 'an update of the agent',
    wake: 'Wake-on-LAN',
    'add-tag': 'a new tag',
    'remove-tag': 'the removal of a tag',
  },
}

const isPermission = (name: string): name is PermissionName => Object.hasOwn(permissionTexts, name)

/** Value of a detail in words for people; other values as they are. */
export function auditValue(name: string, value: string | number | boolean): string {
  const text = String(value)
  if (name === 'permission' && isPermission(text)) {
    return `“${permissionTexts[text].displayName}”`
  }
  const known = words[name]
  return known && Object.hasOwn(known, text) ? known[text]! : text
}
