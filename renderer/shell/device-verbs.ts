import { IconBolt, IconRotateClockwise, type Icon } from '@tabler/icons-react'
import type { DevicePermission } from '../../shared/access.ts'
import { en as t } from '../strings/en.ts'
import { deviceTabNames, deviceTabs, type DeviceTabName } from '../components/device-tabs.ts'

/** Palette command for a device: opens a tab of its page, or runs an action there. */
export interface DeviceVerb {
  key: string
  /** Name to type; also the beginning of the entry. */
  word: string
  icon: Icon
  permission: DevicePermission
  tab?: DeviceTabName
  action?: 'wake' | 'restart'
  /** Offered only for devices in this state. */
  isFor?: 'online' | 'offline'
}

export const deviceVerbs: readonly DeviceVerb[] = [
  ...deviceTabNames
    .filter((name) => deviceTabs[name].path !== '')
    .map((name) => ({
      key: name,
      word: deviceTabs[name].label,
      icon: deviceTabs[name].icon,
      permission: deviceTabs[name].permission,
      tab: name,
    })),
  { key: 'wake', word: t.visit.wake, icon: IconBolt, permission: 'device.wake.send', action: 'wake', isFor: 'offline' },
  {
    key: 'restart',
    word: t.visit.restart,
    icon: IconRotateClockwise,
    permission: 'device.power.manage',
    action: 'restart',
    isFor: 'online',
  },
]

export const verbLabel = ({ word, tab }: DeviceVerb, name: string) =>
  tab ? t.visit.palette.on(word, name) : t.visit.palette.act(word, name)

const connecting = 'on'
const leastLetters = 3

/**
 * Splits "terminal on oslo" into verbs and search text. A verb is complete or abbreviated to at least three letters;
 * without a verb the whole text is search text.
 */
export function readRequest(text: string, verbs: readonly DeviceVerb[]): { verbs: DeviceVerb[]; searchText: string } {
  const whole = text.trim()
  const lower = whole.toLowerCase()
  const spelt = verbs.filter(({ word }) => lower.startsWith(`${word.toLowerCase()} `))
  const [first = ''] = lower.split(/\s+/, 1)
  const begun = first.length >= leastLetters ? verbs.filter(({ word }) => word.toLowerCase().startsWith(first)) : []
  const found = spelt.length > 0 ? spelt : lower.includes(' ') ? begun : []
  if (found.length === 0) {
    return { verbs: [], searchText: whole }
  }
  const rest = whole.slice(spelt[0]?.word.length ?? first.length).trim()
  const isConnected = rest.toLowerCase().startsWith(`${connecting} `)
  return { verbs: found, searchText: isConnected ? rest.slice(connecting.length).trim() : rest }
}
