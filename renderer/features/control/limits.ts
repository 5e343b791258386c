import type { DevicePermission } from '../../../shared/access.ts'
import { en as t } from '../../strings/en.ts'
import { hasClipboard } from '../viewer-kit/session-clipboard.ts'

interface Limit {
  text: string
  permission?: DevicePermission
}

const rights: readonly [DevicePermission, string][] = [
  ['device.remote-control.interact', t.control.cannotInteract],
  ['device.clipboard.read', t.control.cannotRead],
  ['device.clipboard.write', t.control.cannotWrite],
  ['device.remote-control.block-input', t.control.cannotBlock],
  ['device.ctrl-alt-del.send', t.control.cannotCtrlAltDel],
  ['device.desktop-preview.read', t.control.cannotPreview],
]

/** Abilities that a session will lack, shown before connecting. */
export const limitsOf = (can: (permission: DevicePermission) => boolean): Limit[] => [
  ...rights.filter(([permission]) => !can(permission)).map(([permission, text]) => ({ text, permission })),
  ...(hasClipboard() ? [] : [{ text: t.control.noClipboardHere }]),
]
